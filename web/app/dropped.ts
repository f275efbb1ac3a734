/** Files that were dropped on another page than that of imports. */
let dropped: readonly File[] = []

/** Keeps files for the page of imports, which is shown next. */
export function keepDropped(files: readonly File[]): void {
  dropped = files
}

/** The files that were dropped elsewhere, once. */
export function takeDropped(): readonly File[] {
  const files = dropped
  dropped = []
  return files
}
