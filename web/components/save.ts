import { type Column, toCsv } from './table'

/** Properties that style sheets give to the marks of a chart. */
const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'paint-order',
]

/** Pixels of a saved picture for each of the page. */
const SCALE = 2

function saveBlob(blob: Blob, fileName: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href))
}

export function saveCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[], name: string): void {
  saveBlob(new Blob([toCsv(columns, rows)], { type: 'text/csv' }), `${name}.csv`)
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
  saveBlob(new Blob([withStyles(svg)], { type: 'image/svg+xml' }), `${name}.svg`)
}

export async function savePng(svg: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = svg.getBoundingClientRect()
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withStyles(svg))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = SCALE * width
  canvas.height = SCALE * height
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  canvas.toBlob((blob) => blob && saveBlob(blob, `${name}.png`))
}

/** The chart as a file of its own, which has no style sheet: each mark has its styles as attributes. */
function withStyles(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [sources, targets] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')]
  for (const [index, source] of sources.entries()) {
    const style = getComputedStyle(source)
    for (const property of STYLES) targets[index].setAttribute(property, style.getPropertyValue(property))
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return new XMLSerializer().serializeToString(copy)
}
