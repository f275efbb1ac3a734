import { change } from '../app/change'
import { type ChallengeHostQuery, type PhaseInput, UpdateChallengeDocument } from '../generated/documents'
import { Field, Form, textIn } from './form'

type Phase = NonNullable<ChallengeHostQuery['challenge']>['phases'][number]

/** A time as fields have it: in the time zone of the viewer. */
function localTime(iso: string | null): string {
  if (iso === null) return ''
  const date = new Date(iso)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** The time of a field, as ISO 8601. */
export const timeIn = (values: FormData, name: string): string => new Date(textIn(values, name)).toISOString()

/** The lines of a text that are not empty. */
const linesIn = (values: FormData, name: string): string[] =>
  textIn(values, name)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean)

const numberIn = (values: FormData, name: string): number | null =>
  textIn(values, name) === '' ? null : Number(textIn(values, name))

const allIn = (values: FormData, name: string): string[] => values.getAll(name).map(String)

const LIMITS = [
  ['perDay', 'A day'],
  ['total', 'In all'],
  ['concurrent', 'At a time'],
  ['attempts', 'Attempts'],
  ['teamsPerUser', 'Teams of a user'],
] as const

interface PhaseFormProps {
  readonly challenge: string
  readonly phase: Phase
  /** Names of all metrics. */
  readonly metrics: readonly string[]
  readonly reload: () => void
}

/** The rules of a phase. What was not changed is not sent. */
export function PhaseForm({ challenge, phase, metrics, reload }: PhaseFormProps) {
  const { dataset, limits } = phase
  const captionCount = dataset?.captionsPerImage ?? 1
  const systems = (dataset?.systems?.nodes ?? []).filter(({ kind }) => kind === 'CAPTIONS')
  const admitted = phase.admittedTeams?.map(({ name }) => name) ?? null
  const chosen = phase.metrics.map(({ name }) => name)
  const before = {
    opensAt: localTime(phase.opensAt),
    closesAt: localTime(phase.closesAt),
    boardFrom: localTime(phase.boardFrom),
    references: phase.references ?? captionCount,
    admittedTeams: (admitted ?? []).join('\n'),
  }
  const send = async (values: FormData) => {
    const teams = linesIn(values, 'admittedTeams')
    const wanted = {
      metrics: inOrder(allIn(values, 'metrics'), chosen),
      rankedBy: textIn(values, 'rankedBy'),
      decimals: numberIn(values, 'decimals'),
      references: numberIn(values, 'references'),
      isPrivate: phase.isPrivate || values.has('isPrivate'),
      isImageScoreShown: values.has('isImageScoreShown'),
      admittedTeams: teams.length > 0 ? teams : null,
      baselines: inOrder(allIn(values, 'baselines'), phase.baselineNames),
      limits: Object.fromEntries(LIMITS.map(([name]) => [name, numberIn(values, name)])),
    }
    const known = {
      ...{ metrics: chosen, rankedBy: phase.rankedBy.name, decimals: phase.decimals },
      ...{ references: before.references, isPrivate: phase.isPrivate },
      ...{ isImageScoreShown: phase.isImageScoreShown, admittedTeams: admitted },
      ...{ baselines: phase.baselineNames, limits },
    }
    const changed = Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof typeof known]),
    )
    const times = (['opensAt', 'closesAt', 'boardFrom'] as const)
      .filter((name) => textIn(values, name) !== before[name])
      .map((name) => [name, textIn(values, name) === '' ? null : timeIn(values, name)])
    const input: PhaseInput = { name: phase.name, ...Object.fromEntries([...changed, ...times]) }
    await change(UpdateChallengeDocument, { input: { challenge, phases: [input] } })
    reload()
    return 'Saved.'
  }
  return (
    <Form action={`Save ${phase.name}`} send={send} isWide isKept>
      <div class="fields">
        <Field
          label="Opens"
          name="opensAt"
          type="datetime-local"
          step={1}
          defaultValue={before.opensAt}
          required
        />
        <Field
          label="Closes"
          name="closesAt"
          type="datetime-local"
          step={1}
          defaultValue={before.closesAt}
          required
        />
        <Field
          label="Board hidden until"
          name="boardFrom"
          type="datetime-local"
          step={1}
          defaultValue={before.boardFrom}
          hint="Empty: everybody sees it."
        />
        <Field
          label="References of each image"
          name="references"
          type="number"
          min={1}
          max={captionCount}
          defaultValue={before.references}
          required
          hint={`${captionCount} are all; people are beside entries with fewer.`}
        />
        <label>
          Ranked by
          <select name="rankedBy">
            {metrics.map((name) => (
              <option key={name} value={name} selected={name === phase.rankedBy.name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Field
          label="Decimals"
          name="decimals"
          type="number"
          min={0}
          max={10}
          defaultValue={phase.decimals}
          required
        />
      </div>
      <Choices title="Metrics of the board" name="metrics" names={metrics} chosen={chosen} />
      {systems.length > 0 && (
        <Choices
          title="Baselines beside the entries"
          name="baselines"
          names={systems.map((system) => system.name)}
          chosen={phase.baselineNames}
        />
      )}
      <fieldset>
        <legend>Submissions of a team (empty: without limit)</legend>
        <div class="fields narrow">
          {LIMITS.map(([name, label]) => (
            <Field
              key={name}
              label={label}
              name={name}
              type="number"
              min={0}
              max={1_000_000}
              defaultValue={limits[name] ?? ''}
            />
          ))}
        </div>
      </fieldset>
      <label>
        Admitted teams
        <textarea name="admittedTeams" rows={2} defaultValue={before.admittedTeams} />
        <small>The name of a team on each line. Empty: every team.</small>
      </label>
      {phase.isPrivate ? <p class="note">Its dataset is private, and stays so.</p> : <Private />}
      <Check name="isImageScoreShown" isChosen={phase.isImageScoreShown}>
        Teams see the scores of single images
      </Check>
    </Form>
  )
}

/** Names that stay in their order, then the others. */
function inOrder(names: readonly string[], order: readonly string[]): string[] {
  return [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))]
}

interface ChoicesProps {
  readonly title: string
  readonly name: string
  readonly names: readonly string[]
  readonly chosen: readonly string[]
}

function Choices({ title, name, names, chosen }: ChoicesProps) {
  return (
    <fieldset>
      <legend>{title}</legend>
      <div class="choices">
        {names.map((one) => (
          <Check key={one} name={name} value={one} isChosen={chosen.includes(one)}>
            {one}
          </Check>
        ))}
      </div>
    </fieldset>
  )
}

interface CheckProps {
  readonly name: string
  readonly value?: string
  readonly isChosen: boolean
  readonly children: string
}

function Check({ name, value, isChosen, children }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} defaultChecked={isChosen} /> {children}
    </label>
  )
}

function Private() {
  return (
    <Check name="isPrivate" isChosen={false}>
      Make the dataset private, permanently: only hosts see anything about single images
    </Check>
  )
}

/** The fields of a new phase. Its other rules have their defaults. */
export function NewPhaseFields({
  datasets,
  phase,
}: {
  readonly datasets: readonly string[]
  readonly phase: string
}) {
  return (
    <>
      <Field label="Name of the phase" name="phase" defaultValue={phase} required autocomplete="off" />
      <label>
        Dataset
        <select name="dataset" required>
          {datasets.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <Closes />
      <Private />
    </>
  )
}

/** When phases close: in 30 days, unless the viewer says otherwise. */
export function Closes() {
  const month = new Date(Date.now() + 30 * 86_400_000).toISOString()
  return (
    <Field
      label="Closes"
      name="closesAt"
      type="datetime-local"
      step={1}
      required
      defaultValue={localTime(month).replace(/\d\d:\d\d$/, '00:00')}
    />
  )
}

/** A new phase, as {@link NewPhaseFields} describe it. */
export const newPhaseIn = (values: FormData): PhaseInput => ({
  name: textIn(values, 'phase'),
  dataset: textIn(values, 'dataset'),
  closesAt: timeIn(values, 'closesAt'),
  ...(values.has('isPrivate') && { isPrivate: true }),
})
