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

export function saveText(text: string, type: string, fileName: string): void {
  saveBlob(new Blob([text], { type }), fileName)
}

/** The name of a file of a figure with this title. */
export function fileNameOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 80)
}

export async function saveSvg(chart: HTMLElement, name: string): Promise<void> {
  saveText(withStyles(chart), 'image/svg+xml', `${name}.svg`)
}

export async function savePng(chart: HTMLElement, name: string): Promise<void> {
  const { width, height } = svgOf(chart).getBoundingClientRect()
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(withStyles(chart))}`
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

const svgOf = (chart: HTMLElement): SVGSVGElement => chart.querySelector('svg') as SVGSVGElement

/**
 * The chart as a file of its own, which has no style sheet: each mark has its styles as attributes. Dots that are on a
 * canvas are a picture in it.
 */
function withStyles(chart: HTMLElement): string {
  const svg = svgOf(chart)
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [sources, targets] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')]
  for (const [index, source] of sources.entries()) {
    const style = getComputedStyle(source)
    for (const property of STYLES) targets[index].setAttribute(property, style.getPropertyValue(property))
  }
  const canvas = chart.querySelector('canvas')
  if (canvas) {
    const image = document.createElementNS('http://www.w3.org/2000/svg', 'image')
    image.setAttribute('href', canvas.toDataURL())
    image.setAttribute('width', String(svg.clientWidth))
    image.setAttribute('height', String(svg.clientHeight))
    copy.append(image)
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return new XMLSerializer().serializeToString(copy)
}
