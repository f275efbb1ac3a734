import { fromNow, time } from '../app/format'
import type { PhaseStage } from '../generated/documents'

/** A time in the words of the viewer: in the own time zone, and how far away it is. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {time(at)} <span>({fromNow(at)})</span>
    </time>
  )
}

interface StageProps {
  readonly stage: PhaseStage
  readonly opensAt: string
  readonly closesAt: string
}

/** Where a phase stands, and when that changes. */
export function Stage({ stage, opensAt, closesAt }: StageProps) {
  const [text, at] = {
    DRAFT: ['draft; opens', opensAt] as const,
    UPCOMING: ['opens', opensAt] as const,
    OPEN: ['open until', closesAt] as const,
    PAUSED: ['paused by its hosts; until', closesAt] as const,
    CLOSED: ['ended', closesAt] as const,
  }[stage]
  return (
    <span class={`stage ${stage.toLowerCase()}`}>
      <strong>{text}</strong> <Moment at={at} />
    </span>
  )
}
