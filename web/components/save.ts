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

export function saveBlob(blob: Blob, fileName: string): void {
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

/** What a picture of a chart says beside its marks, so that it can stand alone. */
export interface PictureText {
  readonly title: string
  /** Signatures of the figures, each once, and what else tells where they come from. */
  readonly sources: readonly string[]
}

export async function saveSvg(chart: HTMLElement, text: PictureText): Promise<void> {
  saveText(pictureOf(chart, text).markup, 'image/svg+xml', `${fileNameOf(text.title)}.svg`)
}

export async function savePng(chart: HTMLElement, text: PictureText): Promise<void> {
  const { markup, width, height } = pictureOf(chart, text)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markup)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = SCALE * width
  canvas.height = SCALE * height
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  canvas.toBlob((blob) => blob && saveBlob(blob, `${fileNameOf(text.title)}.png`))
}

const svgOf = (chart: HTMLElement): SVGSVGElement => chart.querySelector('svg') as SVGSVGElement

const NAMESPACE = 'http://www.w3.org/2000/svg'
const MARGIN = 16
const LINE = 15

/** Pixels of a letter in a line of text, on average. */
const LETTER = 6.6

/** The chart as a picture that says what it shows: its title and legend above it, where it comes from below. */
function pictureOf(chart: HTMLElement, { title, sources }: PictureText) {
  const { clientWidth, clientHeight } = svgOf(chart)
  const width = clientWidth + 2 * MARGIN
  const page = getComputedStyle(document.body)
  const picture = element('svg', { xmlns: NAMESPACE, 'font-family': 'ui-sans-serif, system-ui, sans-serif' })
  const paper = element('rect', { width: '100%', height: '100%', fill: page.backgroundColor })
  picture.append(paper)
  let y = MARGIN
  const write = (text: string, size: number, color: string, weight = '400') => {
    for (const line of linesOf(text, (clientWidth / LETTER / size) * 12)) {
      y += size + 4
      const attributes = { x: MARGIN, y, fill: color, 'font-size': size, 'font-weight': weight }
      picture.append(element('text', attributes, line))
    }
  }
  write(title, 16, page.color, '600')
  for (const [index, { name, color }] of legendOf(chart).entries()) {
    if (index === 0) y += 4
    y += LINE
    picture.append(element('circle', { cx: MARGIN + 4, cy: y - 4, r: 4, fill: color }))
    picture.append(element('text', { x: MARGIN + 14, y, fill: page.color, 'font-size': 12 }, name))
  }
  y += 10
  const place = element('g', { transform: `translate(${MARGIN} ${y})` })
  place.append(withStyles(chart))
  picture.append(place)
  y += clientHeight + 4
  for (const source of sources) write(source, 10, page.color)
  const height = y + MARGIN
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    picture.setAttribute(name, String(value))
  return { markup: new XMLSerializer().serializeToString(picture), width, height }
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
): Element {
  const made = document.createElementNS(NAMESPACE, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value))
  if (text !== undefined) made.textContent = text
  return made
}

/** The entries of the legend of a chart, with their colours. */
function legendOf(chart: HTMLElement): { name: string; color: string }[] {
  return [...chart.querySelectorAll('.legend > *')].map((entry) => ({
    name: entry.textContent ?? '',
    color: getComputedStyle(entry, '::before').backgroundColor,
  }))
}

/** A text in lines of at most a number of letters; signatures have no spaces, but bars. */
export function linesOf(text: string, length: number): string[] {
  const lines = ['']
  for (const part of text.split(/(?<=[ |,])/)) {
    const last = lines[lines.length - 1]
    if (last !== '' && last.length + part.length > length) lines.push(part)
    else lines[lines.length - 1] = last + part
  }
  return lines
}

/**
 * The chart without its style sheet: each mark has its styles as attributes. Dots that are on a canvas are a picture in it.
 */
function withStyles(chart: HTMLElement): SVGSVGElement {
  const svg = svgOf(chart)
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [sources, targets] = [svg.querySelectorAll('*'), copy.querySelectorAll('*')]
  for (const [index, source] of sources.entries()) {
    const style = getComputedStyle(source)
    for (const property of STYLES) targets[index].setAttribute(property, style.getPropertyValue(property))
  }
  const canvas = chart.querySelector('canvas')
  if (canvas) {
    const [width, height] = [svg.clientWidth, svg.clientHeight]
    copy.append(element('image', { href: canvas.toDataURL(), width, height }))
  }
  return copy
}
