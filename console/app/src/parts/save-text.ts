/** Has the browser keep a text as a file. */
export function saveText(file: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  [link.href, link.download] = [url, file];
  link.click();
  // The browser takes it up after this turn.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
