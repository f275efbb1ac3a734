/** From this size on, in bytes, a request is handled in several turns, so that smaller ones get in between. */
const LARGE_BODY = 65_536

/** @param contentLength the header of that name, where the request has it */
export function isLarge(contentLength: string | undefined): boolean {
  return Number(contentLength ?? 0) >= LARGE_BODY
}
