import type { Interval } from '../../src/core/stats/interval.js'

/** A section of the document as Markdown lines. */
export type Section = string[]

/** Counts how often something is the case, under names of rows and columns. */
export interface Tally {
  count(row: string, column: string, isCase: boolean): void
  /** A Markdown table of shares with the number of cases in no cell; cells without cases are empty. */
  table(rowTitle: string): string[]
}

/** @param rows those that come first, in this order; others follow as they are counted */
export function createTally(rows: readonly string[] = []): Tally {
  const cells = new Map(rows.map((row) => [row, new Map<string, { cases: number; total: number }>()]))
  const columns = new Set<string>()
  return {
    count(row, column, isCase) {
      columns.add(column)
      const cellsOfRow = cells.get(row) ?? new Map()
      cells.set(row, cellsOfRow)
      const cell = cellsOfRow.get(column) ?? { cases: 0, total: 0 }
      cellsOfRow.set(column, cell)
      cell.total++
      if (isCase) cell.cases++
    },
    table(rowTitle) {
      const names = [...columns]
      return [
        `| ${[rowTitle, ...names].join(' | ')} |`,
        `|---|${names.map(() => '--:|').join('')}`,
        ...Array.from(cells, ([row, cellsOfRow]) => {
          const shares = names.map((name) => {
            const cell = cellsOfRow.get(name)
            return cell ? (cell.cases / cell.total).toFixed(3).replace(/^0/, '') : ''
          })
          return `| ${[row, ...shares].join(' | ')} |`
        }),
      ]
    },
  }
}

/**
 * A sentence that names the cells of a table that are outside a target.
 *
 * @param isReported whether a column is what Accord reports, not a competitor
 */
export function describeOutside(
  [head, , ...rows]: readonly string[],
  isReported: (column: string) => boolean,
  lowest: number,
  highest: number,
): string {
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const [, ...columns] = cellsOf(head)
  const outside = rows.flatMap((line) => {
    const [row, ...cells] = cellsOf(line)
    return cells.flatMap((cell, index) =>
      cell !== '' && isReported(columns[index]) && (Number(cell) < lowest || Number(cell) > highest)
        ? [`${row}, ${columns[index]}: ${cell}`]
        : [],
    )
  })
  return outside.length === 0 ? 'All are within the target.' : `Outside the target: ${outside.join('; ')}.`
}

export function contains({ lower, upper }: Interval, value: number): boolean {
  return lower <= value && value <= upper
}

/** The rows of some images, in the order given. */
export function takeRows(rows: Float64Array, width: number, images: ArrayLike<number>): Float64Array {
  const taken = new Float64Array(images.length * width)
  for (let i = 0; i < images.length; i++) {
    taken.set(rows.subarray(images[i] * width, (images[i] + 1) * width), i * width)
  }
  return taken
}
