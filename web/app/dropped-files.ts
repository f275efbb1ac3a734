/** Files that were dropped on another page, for the page of imports. */
let dropped: readonly File[] = []

export function keepDropped(files: readonly File[]): void {
  dropped = files
}

/** The files, once. */
export function takeDropped(): readonly File[] {
  const files = dropped
  dropped = []
  return files
}
