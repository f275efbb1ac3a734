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

/** Width of charts in a document, which is not measured. */
const DOCUMENT_WIDTH = 600

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
