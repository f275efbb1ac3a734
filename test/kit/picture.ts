/** A row of the picture: people, or a system. */
export interface PictureRow {
  readonly name: string
  readonly value: number
  readonly interval: { readonly lower: number; readonly upper: number } | null
}

const WIDTH = 250
const LABELS = 80
const HEIGHT = 30

/** An SVG with a panel for each metric, and a dot with its interval for people and for each system. */
export function drawPicture(panels: ReadonlyMap<string, readonly PictureRow[]>): string {
  const names = [...panels.values()][0].map(({ name }) => name)
  const [columns, height] = [panels.size, 50 + HEIGHT * names.length]
  const width = LABELS + WIDTH * columns
  const labels = names.map((name, row) =>
    label(10, row, name, name === 'people' ? ' font-weight="bold"' : ''),
  )
  const drawn = [...panels].map(([metric, rows], column) => panel(metric, rows, LABELS + WIDTH * column))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="14">`,
    `<title>Scores of people and systems by ${[...panels.keys()].join(', ')}</title>`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    ...labels,
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

const rowAt = (row: number) => 50 + HEIGHT * row

const label = (x: number, row: number, text: string, attributes = '') =>
  `<text x="${x}" y="${rowAt(row) + 5}"${attributes}>${text}</text>`

function panel(metric: string, rows: readonly PictureRow[], left: number): string {
  const highest = Math.max(...rows.map(({ value, interval }) => interval?.upper ?? value))
  const x = (value: number) => (left + 10 + ((WIDTH - 80) * value) / highest).toFixed(1)
  const people = rows.find(({ name }) => name === 'people')
  return [
    `<text x="${left + 10}" y="22" font-weight="bold">${metric}</text>`,
    people &&
      `<line x1="${x(people.value)}" x2="${x(people.value)}" y1="32" y2="${rowAt(rows.length) - 15}" stroke="#b35900" stroke-dasharray="3"/>`,
    ...rows.flatMap(({ name, value, interval }, row) => {
      const color = name === 'people' ? '#b35900' : '#1f5f99'
      const y = rowAt(row)
      return [
        interval &&
          `<line x1="${x(interval.lower)}" x2="${x(interval.upper)}" y1="${y}" y2="${y}" stroke="${color}" stroke-width="3"/>`,
        `<circle cx="${x(value)}" cy="${y}" r="5" fill="${color}"/>`,
        label(left + WIDTH - 50, row, value.toFixed(3).replace(/^0/, '')),
      ]
    }),
  ]
    .filter(Boolean)
    .join('\n')
}
