import { useState } from 'preact/hooks'
import { shellWord } from '../../src/shared/shell-word'
import { client, useQuery } from '../app/client'
import { followJob, startJob } from '../app/jobs'
import { useMayChange } from '../app/may-change'
import { isRecorded } from '../app/transport'
import { ComputeAgreementDocument, EvaluateDocument, ImportedDocument } from '../generated/documents'
import { Command } from './states'
import { type FileFailure, RefusedFile } from './upload'

/** Figures that are computed: of people, and of systems beside them. */
export interface Computation {
  readonly dataset: string
  /** Systems with captions. */
  readonly systems?: readonly string[]
  /** Default: those that every server computes. */
  readonly metrics?: readonly string[]
  /** Whether systems are scored against as many references as people have, and people too; otherwise against all captions. */
  readonly isAsPeople?: boolean
  /** Whether people are scored against every number of references, not only the largest. */
  readonly isCurve?: boolean
}

/** How far something is, 0 to 1, and what is done. */
export interface Stage {
  readonly share: number
  readonly text: string
}

/** Computes what is not stored yet. @throws Error for what failed */
export async function compute(
  { dataset, systems = [], metrics, isAsPeople = true, isCurve = false }: Computation,
  onStage: (stage: Stage) => void,
): Promise<void> {
  onStage({ share: 0, text: 'Starting' })
  const { data } = await client
    .query(ImportedDocument.toString(), { dataset }, { requestPolicy: 'network-only' })
    .toPromise()
  const people: number = data?.dataset?.captionsPerImage ?? 0
  const references = isAsPeople && people > 1 ? people - 1 : undefined
  const jobs: { readonly text: string; readonly id: string }[] = []
  for (let count = references ?? 0; count > 0; count = isCurve ? count - 1 : 0) {
    const input = { dataset, references: count, metrics: metrics && [...metrics] }
    const id = await startJob(ComputeAgreementDocument, { input })
    jobs.push({ id, text: `Scoring people against ${count} others` })
  }
  for (const system of systems) {
    const input = { dataset, system, references, metrics: metrics && [...metrics] }
    jobs.push({ id: await startJob(EvaluateDocument, { input }), text: `Scoring ${system}` })
  }
  for (const [index, { id, text }] of jobs.entries())
    await followJob(id, ({ progress }) => onStage({ share: (index + progress) / jobs.length, text }))
}

/** The commands that compute the same. @param people captions of people of an image */
function commandsOf(
  { dataset, systems = [], metrics, isAsPeople = true, isCurve = false }: Computation,
  people: number,
): string[] {
  const of = `--dataset ${shellWord(dataset)}`
  const chosen = metrics ? ` --metrics ${metrics.map(shellWord).join(' ')}` : ''
  const references = isAsPeople && people > 1 ? people - 1 : 0
  const counts = Array.from(
    { length: isCurve ? references : Math.min(1, references) },
    (_, i) => references - i,
  )
  return [
    ...counts.map((count) => `accord agreement ${of} --references ${count}${chosen}`),
    ...(systems.length === 0
      ? []
      : [
          `accord evaluate ${of} --system ${systems.map(shellWord).join(' ')}${references > 0 ? ` --references ${references}` : ''}${chosen}`,
        ]),
  ]
}

interface ComputeButtonProps extends Computation {
  readonly title?: string
  /** Asks the page's questions again. */
  readonly onDone: () => void
}

/** A button that computes what a page has not, for those who may, with its progress; to others, the commands for its hosts. */
export function ComputeButton({ title, onDone, ...computation }: ComputeButtonProps) {
  const mayChange = useMayChange()
  const { dataset } = computation
  const { data } = useQuery(ImportedDocument, mayChange || isRecorded ? null : { dataset })
  return (
    <WorkButton
      title={title}
      commands={commandsOf(computation, data?.dataset?.captionsPerImage ?? 0)}
      work={(onStage) => compute(computation, onStage)}
      onDone={onDone}
    />
  )
}

interface WorkButtonProps {
  readonly title?: string
  /** What hosts can run instead. */
  readonly commands: readonly string[]
  /** @throws Error for what failed */
  readonly work: (onStage: (stage: Stage) => void) => Promise<void>
  readonly onDone: () => void
}

/** A button that starts work of the server and shows its progress, for those who may; to others, what hosts can run. */
export function WorkButton({ title = 'Compute it', commands, work, onDone }: WorkButtonProps) {
  const mayChange = useMayChange()
  const [stage, setStage] = useState<Stage>()
  const [failure, setFailure] = useState<FileFailure>()
  if (!mayChange) {
    return (
      <div class="compute">
        <p class="note">Hosts of this server can do it, here or by command:</p>
        {commands.map((command) => (
          <Command key={command} text={command} />
        ))}
      </div>
    )
  }
  const start = async () => {
    setFailure(undefined)
    try {
      await work(setStage)
      onDone()
    } catch (error) {
      setFailure(error as Error)
    } finally {
      setStage(undefined)
    }
  }
  return (
    <div class="compute">
      {stage ? (
        <StageBar stage={stage} />
      ) : (
        <button type="button" onClick={start}>
          {title}
        </button>
      )}
      {failure && <RefusedFile failure={failure} />}
    </div>
  )
}

/** What is done, and how far it is. */
export function StageBar({ stage: { share, text } }: { readonly stage: Stage }) {
  return (
    <p class="note" role="status">
      <progress value={share} max={1} aria-label={text} /> {text} …
    </p>
  )
}
