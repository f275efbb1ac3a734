// As pages name it: a record has another router.
import { href } from '../app/router'

/** The page that signs a viewer in, and then shows the present one again. */
export function signInAddress(): string {
  const { pathname, search } = window.location
  return `${href('sign-in')}?next=${encodeURIComponent(pathname + search)}`
}
