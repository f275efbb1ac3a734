/** Size in bytes from which the handling of a request is split, so that smaller requests are handled in between. */
const LARGE_BODY = 65_536

/** @param contentLength the header of the request */
export function isLarge(contentLength: string | undefined): boolean {
  return Number(contentLength ?? 0) >= LARGE_BODY
}
