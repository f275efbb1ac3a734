import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Path below the prefix of the server, without a leading slash, and what is behind the question mark. */
export interface Location {
  readonly path: string
  readonly search: URLSearchParams
}

export type Parameters = Readonly<Record<string, string>>

export interface Route {
  readonly load: () => Promise<{ default: ComponentType<Parameters> }>
  /** Whether recorded answers are of no use to it: it changes what a server has, or follows what it does. */
  readonly isLive?: boolean
}

const BASE = new URL(document.baseURI).pathname

function locationOf(): Location {
  const { pathname, search } = window.location
  // Hosts of files add a slash to the name of a folder.
  return { path: pathname.slice(BASE.length).replace(/\/$/, ''), search: new URLSearchParams(search) }
}

const listeners = new Set<() => void>()
const changed = () => {
  for (const listener of listeners) listener()
}
window.addEventListener('popstate', () => {
  changed()
  restoreScroll()
})

/** Time after which the place of a page is kept, and in which a page that is shown again may grow to its height. */
const KEEP_MS = 150
const GROW_MS = 5000

let keeping: ReturnType<typeof setTimeout> | undefined

// The place on a page is kept with its entry of the history: content that comes later is waited for, which browsers do not.
window.history.scrollRestoration = 'manual'
window.addEventListener('scroll', () => {
  clearTimeout(keeping)
  keeping = setTimeout(() => window.history.replaceState({ scroll: window.scrollY }, ''), KEEP_MS)
})
restoreScroll()

/** Scrolls to where the page was left, as soon as it is high enough, unless the viewer scrolls before. */
function restoreScroll(): void {
  clearTimeout(keeping)
  const place: unknown = window.history.state?.scroll
  if (window.location.hash) return
  if (typeof place !== 'number' || place === 0) {
    window.scrollTo(0, 0)
    return
  }
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const event of ['wheel', 'touchmove', 'keydown']) window.removeEventListener(event, stop)
  }
  const scroll = () => {
    if (document.documentElement.scrollHeight < place + window.innerHeight) return
    window.scrollTo(0, place)
    stop()
  }
  const observer = new ResizeObserver(scroll)
  observer.observe(document.body)
  const timer = setTimeout(stop, GROW_MS)
  for (const event of ['wheel', 'touchmove', 'keydown']) window.addEventListener(event, stop)
}

/** Address of a page; names are escaped. */
export function href(...segments: string[]): string {
  return BASE + segments.map(encodeURIComponent).join('/')
}

export function navigate(address: string): void {
  clearTimeout(keeping)
  window.history.replaceState({ scroll: window.scrollY }, '')
  window.history.pushState(null, '', address)
  window.scrollTo(0, 0)
  changed()
}

/** Shows a page in place of the present one, to which the viewer does not go back. */
export function replaceWith(address: string): void {
  window.history.replaceState(null, '', address)
  window.scrollTo(0, 0)
  changed()
}

export function useLocation(): Location {
  const [location, set] = useState(locationOf)
  useEffect(() => {
    const listener = () => set(locationOf())
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return location
}

/** A setting of a page that is kept in its address: a link shows what its sender saw. */
export function useSetting(name: string, standard: string): [string, (value: string) => void] {
  const { search } = useLocation()
  const set = (value: string) => {
    const next = new URLSearchParams(window.location.search)
    if (value === standard) next.delete(name)
    else next.set(name, value)
    const text = next.toString()
    window.history.replaceState(window.history.state, '', window.location.pathname + (text ? `?${text}` : ''))
    changed()
  }
  return [search.get(name) ?? standard, set]
}

interface LinkProps {
  readonly to: string
  readonly class?: string
  readonly current?: boolean
  readonly title?: string
  readonly children: ComponentChildren
}

/** Shows the page of a link without loading the dashboard anew, unless it shall open elsewhere. */
export function followLink(event: MouseEvent): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  navigate((event.currentTarget as Element).getAttribute('href') as string)
}

/** A link to another page of the dashboard. */
export function Link({ to, current, children, ...rest }: LinkProps) {
  return (
    <a href={to} onClick={followLink} aria-current={current ? 'page' : undefined} {...rest}>
      {children}
    </a>
  )
}
