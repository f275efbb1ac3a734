import { findPattern } from './paths'

/**
 * Where a viewer goes who has signed in: a page of this dashboard, otherwise its first one.
 *
 * @param wanted as somebody wrote it into an address
 */
export function safeAddress(wanted: string | null): string {
  const base = new URL(document.baseURI)
  if (wanted === null || !URL.canParse(wanted, base)) return base.href
  // Slashes and backslashes in front can name another host: what counts is how the browser reads it.
  const { origin, pathname, href } = new URL(wanted, base)
  const isHere = origin === base.origin && pathname.startsWith(base.pathname)
  return isHere && findPattern(pathname.slice(base.pathname.length)) ? href : base.href
}
