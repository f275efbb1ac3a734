import { useEffect, useState } from 'preact/hooks'
import { grouped as count, counted, fixed as number } from '../../src/shared/numbers'
import { shellWord } from '../../src/shared/shell-word'
import { change } from '../app/change'
import { useQuery } from '../app/client'
import { href, Link, navigate, type Parameters } from '../app/router'
import { Lines } from '../charts/lines'
import { type Column, measured } from '../components/columns'
import { Figure } from '../components/figure'
import { Field, Form, textIn } from '../components/form'
import { Remove } from '../components/remove'
import { Awaited, Empty, NotFound } from '../components/states'
import { Table } from '../components/table'
import {
  CollectionProgressDocument,
  type CollectionProgressQuery,
  FinishCollectionDocument,
  RemoveCollectionDocument,
} from '../generated/documents'
import { JobState, useJob } from './jobs'

type Progress = NonNullable<CollectionProgressQuery['collection']>

/** Time between two looks at what annotators have written. */
const LOOK_MS = 10_000

/** What the host of a collection wants to know: agreement as it grows, and who agrees with nobody. */
export default function CollectionHost({ name }: Parameters) {
  const answer = useQuery(CollectionProgressDocument, { name }, 'cache-and-network')
  useEffect(() => {
    const timer = setInterval(() => document.hidden || answer.reload(), LOOK_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <Awaited answer={answer} height={700}>
      {({ collection, viewer }) =>
        !viewer.scopes.includes('HOST') ? (
          <NotFound title="Hosts see how far a collection is.">
            <Link to={href('collect', name)}>Describe pictures</Link>
          </NotFound>
        ) : collection ? (
          <Shown name={name} collection={collection} />
        ) : (
          <NotFound title={`There is no collection ${name}.`} />
        )
      }
    </Awaited>
  )
}

function Shown({ name, collection }: { readonly name: string; readonly collection: Progress }) {
  const { state, agreementSoFar, annotators } = collection
  return (
    <>
      <h1>How far is {name}?</h1>
      <p class="lede">
        <progress
          value={state.captionCount}
          max={Math.max(1, state.wantedCaptionCount)}
          aria-label="Captions"
        />{' '}
        {count(state.captionCount)} of {counted(state.wantedCaptionCount, 'caption')} by{' '}
        {counted(state.annotatorCount, 'annotator')}; {count(state.completeImageCount)} of{' '}
        {counted(state.imageCount, 'image')} are complete.{' '}
        <Link to={href('collect', name)}>The page of annotators</Link>
      </p>
      <p class="note">
        {counted(state.takenTaskCount, 'task')} at work, {count(state.skippedTaskCount)} skipped,{' '}
        {count(state.reportedTaskCount)} reported; {counted(state.withdrawnImageCount, 'image')} reported by
        two annotators, and given to nobody.
        {agreementSoFar?.medianSeconds != null &&
          ` A caption takes ${Math.round(agreementSoFar.medianSeconds)} s (median).`}
      </p>
      <h2>Do people agree?</h2>
      {agreementSoFar ? (
        <AgreementSoFar name={name} agreement={agreementSoFar} />
      ) : (
        <Empty>Nobody can tell yet: no picture has two captions.</Empty>
      )}
      <h2>Who agrees with nobody?</h2>
      {annotators?.nodes.length ? (
        <Annotators annotators={annotators.nodes} />
      ) : (
        <Empty>Nobody has described a picture yet.</Empty>
      )}
      <h2>Make a dataset of it</h2>
      <Finish name={name} />
      <Remove
        what="collection"
        name={name}
        note="With all its captions. Datasets that were made of it stay."
        remove={async () => {
          await change(RemoveCollectionDocument, { input: { collection: name } })
          navigate(href())
        }}
      />
    </>
  )
}

interface AgreementProps {
  readonly name: string
  readonly agreement: NonNullable<Progress['agreementSoFar']>
}

function AgreementSoFar({ name, agreement: { rows, notes } }: AgreementProps) {
  const provenance = {
    ...{ signatures: [], command: `accord collect show ${shellWord(name)}` },
    ...{ query: CollectionProgressDocument, variables: { name } },
  }
  return (
    <>
      <p class="note">
        Each caption is held out in turn and compared with others of its picture. The page follows what
        annotators write.
      </p>
      <div class="grid">
        {[...new Set(rows.map(({ metric }) => metric.name))].map((metric) => {
          const points = rows.filter((row) => row.metric.name === metric)
          return (
            <Figure
              key={metric}
              title={metric}
              columns={[
                { title: 'references', value: ({ referenceCount }) => referenceCount },
                { title: 'images', value: ({ imageCount }) => imageCount },
                ...measured<(typeof points)[number]>(metric, (row) => row, { hasSignature: false }),
              ]}
              rows={points}
              provenance={provenance}
            >
              <Lines
                label={`${metric} of people against the number of references`}
                xTitle="references"
                yTitle={metric}
                xTicks={points.map(({ referenceCount }) => referenceCount)}
                xRange={[0.5, Math.max(...points.map(({ referenceCount }) => referenceCount)) + 0.5]}
                lines={[
                  {
                    name: 'people',
                    tone: 'people',
                    points: points.map(({ referenceCount, value, interval }) => ({
                      ...{ x: referenceCount, y: value, interval },
                    })),
                  },
                ]}
                height={220}
              />
            </Figure>
          )
        })}
      </div>
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
    </>
  )
}

type Annotator = NonNullable<Progress['annotators']>['nodes'][number]

function Annotators({ annotators }: { readonly annotators: readonly Annotator[] }) {
  const orNone = (value: number | null, decimals: number) => (value === null ? '–' : number(value, decimals))
  const columns: readonly Column<Annotator>[] = [
    { title: 'annotator', value: ({ name, user }) => user?.name ?? name },
    { title: 'id', value: ({ name }) => name, isHidden: true },
    { title: 'captions', value: ({ captionCount }) => captionCount },
    { title: 'skipped', value: ({ skippedTaskCount }) => skippedTaskCount },
    { title: 'reported', value: ({ reportedTaskCount }) => reportedTaskCount },
    {
      title: 'seconds',
      value: ({ medianSeconds }) => medianSeconds,
      text: ({ medianSeconds }) => orNone(medianSeconds, 0),
    },
    { title: 'METEOR', value: ({ meanScore }) => meanScore, text: ({ meanScore }) => orNone(meanScore, 3) },
    {
      title: 'difference',
      value: ({ meanDifference }) => meanDifference,
      text: ({ meanDifference }) => orNone(meanDifference, 3),
    },
    {
      title: 'p',
      value: ({ pValue }) => pValue,
      text: ({ pValue }) => (pValue !== null && pValue < 0.001 ? '< .001' : orNone(pValue, 3)),
    },
    { title: 'agrees', value: ({ isLow }) => (isLow ? 'less than others' : '') },
  ]
  return (
    <>
      <p class="note">
        METEOR against the other captions of the same pictures, where there are two others; the difference is
        from the scores of the others, with a one-sided p-value corrected for the number of annotators.
      </p>
      <Table
        label="Annotators"
        columns={columns}
        rows={annotators}
        rowClass={({ isLow }) => (isLow ? 'people-row' : undefined)}
      />
    </>
  )
}

function Finish({ name }: { readonly name: string }) {
  const [job, setJob] = useState<string>()
  const [dataset, setDataset] = useState('')
  const state = useJob(job)
  const send = async (values: FormData) => {
    const [created, people] = [textIn(values, 'dataset'), textIn(values, 'people')]
    const input = { collection: name, dataset: created, ...(people !== '' && { people }) }
    const result = await change(FinishCollectionDocument, { input })
    setDataset(created)
    setJob(result.job.id)
    return undefined
  }
  return (
    <>
      <p class="note">The collection continues, and can become a dataset again.</p>
      <Form action="Make a dataset" send={send} isRow>
        <Field label="Name of the dataset" name="dataset" required autocomplete="off" />
        <Field label="Last caption of each image as (empty: a reference)" name="people" autocomplete="off" />
      </Form>
      {state && (
        <div role="status">
          <JobState job={state} />
          {state.status === 'DONE' && <Link to={href('d', dataset)}>{dataset}</Link>}
        </div>
      )}
    </>
  )
}
