import { href } from './router'

/** The page that signs a viewer in, and then shows the present one again. */
export function signInAddress(): string {
  const { pathname, search } = window.location
  return `${href('sign-in')}?next=${encodeURIComponent(pathname + search)}`
}
