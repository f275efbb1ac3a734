import { ticks as nice } from 'd3-array'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Maps values to pixels. */
export interface Scale {
  (value: number): number
  readonly from: number
  readonly to: number
}

/** @param from value at the pixel `start`. @param to value at the pixel `end` */
export function linear(from: number, to: number, start: number, end: number): Scale {
  const factor = to === from ? 0 : (end - start) / (to - from)
  return Object.assign((value: number) => start + (value - from) * factor, { from, to })
}

/** Round values for an axis, about one for `pixels` of it. */
export function ticks(scale: Scale, length: number, pixels = 80): number[] {
  return nice(scale.from, scale.to, Math.max(2, Math.round(length / pixels)))
}

/** The least and the greatest of values, with a margin of a share of their distance. Undefined ones are skipped. */
export function extent(values: Iterable<number | null | undefined>, margin = 0.05): [number, number] {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value === null || value === undefined) continue
    least = Math.min(least, value)
    greatest = Math.max(greatest, value)
  }
  if (least > greatest) return [0, 1]
  const space = greatest === least ? Math.abs(least) * 0.1 || 1 : margin * (greatest - least)
  return [least - space, greatest + space]
}

/** Width of charts in a document, which is not measured. */
const DOCUMENT_WIDTH = 680

/** Width of the element that has the reference, in pixels; 0 before it is measured. */
export function useWidth() {
  const ref = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(typeof window === 'undefined' ? DOCUMENT_WIDTH : 0)
  // Before the page is painted: a chart takes its place at once.
  useLayoutEffect(() => {
    const element = ref.current as HTMLDivElement
    const measure = () => setWidth(Math.floor(element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}
