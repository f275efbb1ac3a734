import { renderToString } from 'preact-render-to-string'
import { CoverageDrawing, type CoverageMarks, heightOf } from '../charts/coverage-plane'
import { linesOf } from '../components/save'

export interface CoveragePicture extends CoverageMarks {
  readonly title: string
  /** Below the title. */
  readonly about: string
  /** Where the figures come from, below the chart. */
  readonly source: string
}

/** Pixels. */
const WIDTH = 960
const MARGIN = 24
const TITLE = { size: 20, letters: 72 } as const

/** The colours of pages on white paper: a file has no style sheet. */
const STYLE = `
text { font: 13px ui-sans-serif, system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1d22 }
.title-line { font: 600 ${TITLE.size}px "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, "DejaVu Serif", serif }
.about, .axes text { fill: #5b5f66 }
.source { font-size: 10px; fill: #5b5f66 }
.axes line { stroke: #eceae3 }
.line { fill: none; stroke: #b03f13; stroke-width: 2 }
.whisker { stroke-width: 2 }
.people circle { fill: #b03f13 }
.people .whisker { stroke: #b03f13 }
.people-text { fill: #b03f13; font-weight: 600 }
.system circle { fill: #1d5a96 }
.system .whisker { stroke: #1d5a96 }
.label { paint-order: stroke; stroke: #fbfaf6; stroke-width: 3px }
`

/** The picture of coverage and confirmed share as an SVG file that stands alone. */
export function renderCoverage({ title, about, source, ...marks }: CoveragePicture): string {
  const width = WIDTH - 2 * MARGIN
  const titles = linesOf(title, TITLE.letters)
  const sources = linesOf(source, 150)
  const top = MARGIN + titles.length * 26 + 20
  const bottom = top + heightOf(width)
  const height = bottom + 14 * sources.length + MARGIN
  const svg = (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${WIDTH} ${height}`}
      width={WIDTH}
      height={height}
      role="img"
      aria-label={title}
    >
      <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      <rect width="100%" height="100%" fill="#fbfaf6" />
      {titles.map((line, index) => (
        <text key={line} class="title-line" x={MARGIN} y={MARGIN + TITLE.size + 26 * index}>
          {line}
        </text>
      ))}
      <text class="about" x={MARGIN} y={top - 6}>
        {about}
      </text>
      <g transform={`translate(${MARGIN} ${top})`}>
        <CoverageDrawing {...marks} width={width} />
      </g>
      {sources.map((line, index) => (
        <text key={line} class="source" x={MARGIN} y={bottom + 14 * (index + 1)}>
          {line}
        </text>
      ))}
    </svg>
  )
  return `${renderToString(svg)}\n`
}
