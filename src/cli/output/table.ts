import type { Interval } from '../../core/stats/interval.js'

/** Tables for people, independent of the format in which they are printed. */

/** A part of a report: a table, or sentences below one. */
export type ReportPart = TextTable | Notes

/** Sentences, each on lines of its own. Indented ones are commands or other text that is not wrapped. */
export interface Notes {
  readonly notes: readonly string[]
}

export interface TextTable {
  readonly head: readonly TextRow[]
  /** Groups of rows, separated by a line. */
  readonly body: readonly (readonly TextRow[])[]
  /** One entry per column. */
  readonly columns: readonly TextColumn[]
  /** Number of first columns that are repeated if a table is too wide and is divided. Default: 1. */
  readonly keyColumns?: number
}

export interface TextColumn {
  readonly align: 'left' | 'right'
  /** Wider cells are wrapped at words. */
  readonly maxWidth?: number
  /** Whether it is text that is wrapped at words if the table is too wide. */
  readonly isText?: boolean
}

/** Cells; a cell may span several columns. */
export type TextRow = readonly (Cell | Span)[]

export interface Span {
  readonly content: string
  readonly columns: number
}

/** Text, or a figure that depends on how numbers are shown. */
export type Cell = string | Figure

export interface Figure {
  show(style: NumberStyle): string
  /** Whether it is emphasized, as the best of several. */
  readonly isStrong?: boolean
}

/** How numbers are shown. */
export interface NumberStyle {
  share(value: number): string
}

/** Three decimals, without a leading 0. */
export const FRACTIONS: NumberStyle = {
  share: (value) => value.toFixed(3).replace(/^(-?)0\./, '$1.'),
}

/** Multiplied by 100, with one decimal. */
export const PERCENTAGES: NumberStyle = {
  share: (value) => (100 * value).toFixed(1),
}

/** Instead of an undefined value. */
export const NONE = '–'

/** A score, a share or a difference of them. `–` if undefined. */
export function share(value: number | null | undefined): Figure {
  return { show: (style) => (value == null ? NONE : style.share(value)) }
}

/**
 * The ends of an interval of scores. `–` if undefined.
 *
 * @param separator ` to ` for ends that can be negative
 */
export function interval(ends: Interval | null | undefined, separator = ' – '): Figure {
  return {
    show: ({ share: toText }) => (ends ? `${toText(ends.lower)}${separator}${toText(ends.upper)}` : NONE),
  }
}

/** The cell with a text before it. */
export function prefixed(prefix: string, { show }: Figure): Figure {
  return { show: (style) => `${prefix}${show(style)}` }
}

/** The figure, emphasized. */
export function strong(figure: Figure): Figure {
  return { ...figure, isStrong: true }
}

/** A number with thousands separators: 25,014. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** A count and its noun, which gets an `s` unless the count is 1. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Text with control characters replaced, so that it cannot control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\u{fffd}')
}

/** Columns of which the first is aligned left and the others right. */
export function leftThenRight(count: number): TextColumn[] {
  return Array.from({ length: count }, (_, column) => ({ align: column === 0 ? 'left' : 'right' }))
}

/** The text of a cell. */
export function textOf(cell: Cell | Span, numbers: NumberStyle): string {
  if (typeof cell === 'string') return printable(cell)
  return printable('show' in cell ? cell.show(numbers) : cell.content)
}

/** Number of columns of a cell. */
export function spanOf(cell: Cell | Span): number {
  return typeof cell === 'object' && 'columns' in cell ? cell.columns : 1
}
