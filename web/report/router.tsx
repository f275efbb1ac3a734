import type { ComponentChildren } from 'preact'

/** Takes the place of `app/router.tsx` in a report: one document without links to pages, with settings as they are at first. */

export type Parameters = Readonly<Record<string, string>>

export const href = (): string => ''

export function navigate(): void {}

export function followLink(): void {}

export const useSetting = (_name: string, standard: string): [string, () => void] => [standard, () => {}]

export function Link({
  children,
  ...rest
}: {
  readonly class?: string
  readonly children: ComponentChildren
}) {
  return <span class={rest.class}>{children}</span>
}
