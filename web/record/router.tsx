import type { ComponentChildren } from 'preact'

/** Takes the place of `app/router.tsx` where pages are recorded: it collects the addresses that pages lead to. */

export type Parameters = Readonly<Record<string, string>>

const found = new Set<string>()
let current = new URL('http://localhost/')

/** @param address path and settings of the page that is recorded next, with a leading slash */
export function visit(address: string): URL {
  current = new URL(address, current)
  found.clear()
  return current
}

/** Addresses that the page leads to. */
export const takeAddresses = (): string[] => [...found]

export function href(...segments: string[]): string {
  const address = `/${segments.map(encodeURIComponent).join('/')}`
  found.add(address)
  return address
}

export function navigate(address: string): void {
  found.add(address)
}

export const replaceWith = navigate

export function followLink(): void {}

export function useSetting(name: string, standard: string): [string, (value: string) => void] {
  const set = (value: string) => {
    const next = new URL(current)
    if (value === standard) next.searchParams.delete(name)
    else next.searchParams.set(name, value)
    navigate(next.pathname + next.search)
  }
  return [current.searchParams.get(name) ?? standard, set]
}

export function Link({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  navigate(to)
  return <a href={to}>{children}</a>
}
