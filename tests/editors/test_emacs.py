"""The Emacs configuration of docs/editors/others.md, in a real Emacs where there is one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.desk import Desk

PAGE = Path(__file__).parents[2] / "docs" / "editors" / "others.md"
EMACS = shutil.which("emacs")
EGLOT = sorted(Path("/usr/share/emacs/site-lisp/elpa").glob("eglot-*"))

pytestmark = pytest.mark.skipif(
    EMACS is None or not EGLOT, reason="needs Debian's emacs-nox and elpa-eglot"
)

SESSION = """
(setq eglot-sync-connect t debug-on-error nil)
(find-file (expand-file-name "ask.dsh.md"))
(apply #'eglot (eglot--guess-contact)) ; in batch nothing runs the hook's deferred start
(defun wait-for (look)
  (let ((tries 200))
    (while (and (not (funcall look)) (> tries 0))
      (accept-process-output nil 0.1)
      (setq tries (1- tries)))
    (or (funcall look) (error "nothing came"))))
(setq result (list :mode (symbol-name major-mode)))
(flymake-start)
(setq result (plist-put result :problem
  (flymake-diagnostic-text (car (wait-for #'flymake-diagnostics)))))
(goto-char (point-min))
(end-of-line)
(let* ((completion (eglot-completion-at-point))
       (row (car (all-completions "" (nth 2 completion)))))
  (delete-region (nth 0 completion) (point))
  (insert row)
  (funcall (plist-get (nthcdr 3 completion) :exit-function) row 'finished))
(setq result (plist-put result :line (buffer-substring (point-min) (line-end-position))))
(search-backward "@[")
(setq result (plist-put result :hover (plist-get (plist-get
  (jsonrpc-request (eglot-current-server) :textDocument/hover
                   (eglot--TextDocumentPositionParams)) :contents) :value)))
(forward-line 1)
(kill-whole-line)
(dsh-target "new")
(setq result (plist-put result :sent (dsh-send)))
(princ (json-encode result) #'external-debugging-output)
"""


def emacs(desk: Desk, *code: str) -> dict[str, Any]:
    """What the session found."""
    script = desk.project / "session.el"
    script.write_text("\n".join(code))
    done = subprocess.run(
        [str(EMACS), "--quick", "--batch", "--load", str(script)],
        cwd=desk.project,
        env={
            **os.environ,
            "HOME": str(desk.project),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stderr[done.stderr.rindex('{"mode"') :])
    return found


def plist(value: Any) -> str:
    """A value as Emacs Lisp."""
    if isinstance(value, dict):
        return f"({' '.join(f':{key} {plist(inner)}' for key, inner in value.items())})"
    if isinstance(value, bool):
        return "t" if value else ":json-false"
    return json.dumps(value)


def test_the_documented_configuration(desk: Desk) -> None:
    uri = desk.remember(
        "session-login", "Fix the login", "Why does the login fail?", "The cookie is dropped."
    )
    (desk.project / "ask.dsh.md").write_text("Go on with @login\nsee @[x](dsh-session:!!)\n")
    (documented,) = re.findall(r"```elisp\n(.*?)```", PAGE.read_text(), re.DOTALL)
    settings = plist({"dsh": desk.settings})
    found = emacs(
        desk,
        f'(add-to-list \'load-path "{EGLOT[-1]}")',
        documented,
        f"(setq-default eglot-workspace-configuration '{settings})",
        SESSION,
    )
    assert found["mode"] == "dsh-prompt-mode"
    assert "SESSION_REFERENCE_INVALID_REFERENCE" in found["problem"]
    assert found["line"] == f"Go on with @[Fix the login]({uri})"
    assert "The cookie is dropped." in found["hover"]
    assert found["sent"] == "accepted"
