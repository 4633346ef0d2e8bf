import eslint from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

export default defineConfig(
  globalIgnores(['out/']),
  eslint.configs.recommended,
  {
    files: ['src/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
  },
  {
    // Lies inside the extension, for only there it gets the extension's own `vscode`.
    files: ['test/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        exports: 'writable',
        process: 'readonly',
        require: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    files: ['*.mjs'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly' } },
  },
)
