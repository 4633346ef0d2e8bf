/** Text of others for a list, where `$(` would draw an icon. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '$\u200b(')
}
