import { followLink } from '../app/router'
import { LETTER, lettersIn, shortNames } from './names'
import { linear, useWidth } from './scale'

export interface BarRow {
  readonly name: string
  /** 0 to 1. */
  readonly value: number
  /** What is written beside the bar. */
  readonly text: string
  readonly address: string
}

const ROW = 24

/** Shares as bars in rows, with their names and their values. */
export function Bars({ label, rows }: { readonly label: string; readonly rows: readonly BarRow[] }) {
  const { ref, width } = useWidth()
  const names = rows.map(({ name }) => name)
  const left = Math.min(width * 0.35, LETTER * Math.max(4, ...names.map(({ length }) => length)) + 16)
  const right = width - LETTER * Math.max(0, ...rows.map(({ text }) => text.length)) - 8
  const short = shortNames(names, lettersIn(left - 14))
  const x = linear(0, 1, left, Math.max(left + 20, right))
  return (
    <div ref={ref} class="chart" style={{ minHeight: `${ROW * rows.length}px` }}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a chart with links in it is a group, and no group of fields
        <svg width={width} height={ROW * rows.length} role="group" aria-label={label}>
          {rows.map(({ name, value, text, address }, index) => (
            <a key={name} href={address} onClick={followLink} class="system">
              <text class="name" x={left - 10} y={ROW * (index + 0.5) + 4} text-anchor="end">
                <title>{name}</title>
                {short.get(name)}
              </text>
              <rect class="bar" x={left} y={ROW * index + 4} width={x(value) - left} height={ROW - 8} />
              <text class="value" x={x(value) + 6} y={ROW * (index + 0.5) + 4}>
                {text}
              </text>
            </a>
          ))}
        </svg>
      )}
    </div>
  )
}
