import { useState } from 'preact/hooks'
import { client, useQuery } from '../app/client'
import { href, Link, useSetting } from '../app/router'
import { Awaited, CopyButton } from '../components/states'
import { DropField, type FileFailure, RefusedFile, Sent, uploadFile } from '../components/upload'
import {
  HomeDocument,
  ImportArtefactDocument,
  ImportBoundDocument,
  ImportBoxesDocument,
  ImportCaptionsDocument,
  ImportDescriptionsDocument,
  ImportJudgementsDocument,
  ImportResultsDocument,
  ImportVocabularyDocument,
  ImportWordScoresDocument,
  type StartedFragment,
} from '../generated/documents'
import { JobState, useJob } from './jobs'

/** A kind of file: what it is, and which names belong to it. */
interface Kind {
  readonly title: string
  readonly needs: 'dataset' | 'system' | 'new' | 'nothing'
  readonly document: { toString(): string }
}

const KINDS: Readonly<Record<string, Kind>> = {
  captions: { title: 'Captions of people (a new dataset)', needs: 'new', document: ImportCaptionsDocument },
  results: { title: 'Captions of a system', needs: 'system', document: ImportResultsDocument },
  scores: { title: 'Word scores of a system', needs: 'system', document: ImportWordScoresDocument },
  boxes: { title: 'Boxes of objects', needs: 'new', document: ImportBoxesDocument },
  descriptions: {
    title: 'Boxes that a system mentions',
    needs: 'system',
    document: ImportDescriptionsDocument,
  },
  judgements: { title: 'Judgements on captions', needs: 'new', document: ImportJudgementsDocument },
  vocabulary: { title: 'Vocabulary', needs: 'dataset', document: ImportVocabularyDocument },
  artefact: { title: 'Trained metric', needs: 'nothing', document: ImportArtefactDocument },
  bound: { title: 'Trained upper bound', needs: 'dataset', document: ImportBoundDocument },
}

/** Files are dropped here: they are uploaded, and imported by a job that is followed. */
export default function Import() {
  const answer = useQuery(HomeDocument, {})
  return (
    <>
      <h1>What do you want to measure?</h1>
      <p class="lede">
        Any file that the command line reads, compressed or not. Captions of people come first; what systems
        wrote is then compared with them.
      </p>
      <Awaited answer={answer} height={400}>
        {({ datasets }) => <Form datasets={(datasets?.nodes ?? []).map(({ name }) => name)} />}
      </Awaited>
    </>
  )
}

function Form({ datasets }: { readonly datasets: readonly string[] }) {
  const [wanted, setKind] = useSetting('kind', datasets.length === 0 ? 'captions' : 'results')
  const kind = wanted in KINDS ? wanted : 'captions'
  const [dataset, setDataset] = useState(datasets[0] ?? '')
  const [system, setSystem] = useState('')
  const [file, setFile] = useState<File>()
  const [share, setShare] = useState<number>()
  const [failure, setFailure] = useState<FileFailure>()
  const [job, setJob] = useState<string>()
  const { needs, document } = KINDS[kind]
  const isReady = file && (needs === 'nothing' || dataset !== '') && (needs !== 'system' || system !== '')
  const send = async (event: Event) => {
    event.preventDefault()
    if (!file) return
    setFailure(undefined)
    setJob(undefined)
    setShare(0)
    try {
      const upload = await uploadFile(file, setShare)
      const input = { upload, ...(needs !== 'nothing' && { dataset }), ...(needs === 'system' && { system }) }
      const { data, error } = await client
        .mutation<{ result: StartedFragment }>(document.toString(), { input })
        .toPromise()
      if (error) throw error
      const result = data?.result
      if (result?.__typename === 'JobSuccess') setJob(result.job.id)
      else if (result) setFailure(result)
    } catch (error) {
      setFailure({ message: (error as Error).message })
    } finally {
      setShare(undefined)
    }
  }
  return (
    <form class="import" onSubmit={send}>
      <DropField file={file} choose={setFile} />
      <label>
        It holds{' '}
        <select value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value)}>
          {Object.entries(KINDS).map(([key, { title }]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {needs !== 'nothing' && (
        <label>
          Dataset{' '}
          <input
            list="datasets"
            value={dataset}
            onInput={({ currentTarget }) => setDataset(currentTarget.value)}
            required
          />
          <datalist id="datasets">
            {datasets.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      )}
      {needs === 'system' && (
        <label>
          System{' '}
          <input value={system} onInput={({ currentTarget }) => setSystem(currentTarget.value)} required />
        </label>
      )}
      <button type="submit" disabled={!isReady || share !== undefined}>
        Import
      </button>
      <Sent share={share} />
      {failure && <RefusedFile failure={failure} />}
      {job && <Imported id={job} dataset={dataset} system={needs === 'system' ? system : undefined} />}
    </form>
  )
}

interface ImportedProps {
  readonly id: string
  readonly dataset: string
  readonly system: string | undefined
}

function Imported({ id, dataset, system }: ImportedProps) {
  const job = useJob(id)
  if (!job) return null
  return (
    <div role="status">
      <JobState job={job} />
      {job.status === 'DONE' && (
        <p>
          <Link to={system ? href('d', dataset, 'systems', system) : href('d', dataset)}>
            {system ? `${system} beside people` : dataset}
          </Link>
        </p>
      )}
      {job.status === 'FAILED' && <CopyButton text={job.failure?.message ?? ''} what="error" />}
    </div>
  )
}
