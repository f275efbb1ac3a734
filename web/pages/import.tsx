import { useEffect, useRef, useState } from 'preact/hooks'
import { readNamedColumns, suggestedColumns } from '../../src/shared/named-columns'
import { counted } from '../../src/shared/numbers'
import { client, useQuery } from '../app/client'
import { takeDropped } from '../app/dropped-files'
import { datasetNameOf, namesPeople, systemNamesOf } from '../app/file-names'
import { failureOf, startJob } from '../app/jobs'
import { isUnfinished } from '../app/look-again'
import { useMayChange } from '../app/may-change'
import { errorOf } from '../app/request-error'
import { href, Link, navigate, replaceWith, useSetting } from '../app/router'
import { signInAddress } from '../app/sign-in-address'
import { Awaited, NotFound } from '../components/states'
import { DropField, type FileFailure, RefusedFile, Sent, uploadFile } from '../components/upload'
import {
  ImportArtefactDocument,
  ImportBoundDocument,
  ImportFilesDocument,
  ImportPageDocument,
  type ImportPageQuery,
  type JobRowFragment,
  RecognizedFileDocument,
} from '../generated/documents'
import type { FileContent, ImageMatch } from '../generated/types'
import { CancelButton, JobState, Outcome, useJob } from './jobs'

/** What a file holds: as the server calls it, or a trained model, which is imported by itself. */
type Content = FileContent | 'ARTEFACT' | 'BOUND'

const TITLES: Readonly<Record<Content, string>> = {
  CAPTIONS: 'captions of people',
  BOXES: 'boxes of objects',
  OBJECTS: 'objects of images',
  JUDGEMENTS: 'ratings of captions',
  VOCABULARY: 'a vocabulary',
  RESULTS: 'captions of a system',
  WORD_SCORES: 'word scores of a system',
  DESCRIPTIONS: 'boxes that a system mentions',
  ARTEFACT: 'a trained metric',
  BOUND: 'a trained upper bound',
}

const isOfSystem = (content: Content | undefined) =>
  content === 'RESULTS' || content === 'WORD_SCORES' || content === 'DESCRIPTIONS'

const isModel = (content: Content | undefined) => content === 'ARTEFACT' || content === 'BOUND'

/** A file that was dropped. */
interface Item {
  readonly key: number
  readonly file: File
  /** How much of it was sent, 0 to 1. */
  readonly sent: number
  readonly upload?: string
  readonly content?: Content
  /** Whether the viewer has said what it holds. */
  readonly isSaid?: boolean
  /** Name of the format of captions. */
  readonly format?: string | null
  /** Name of the dataset that has its images. */
  readonly dataset?: string
  /** Name of its system, where the viewer has chosen one. */
  readonly system?: string
  /** Whether images without a caption, and captions of other images, are accepted. */
  readonly isPartial?: boolean
  /** What the file calls images and captions, as `image=pic,caption=said`; the rule by which it names images. */
  readonly columns?: string
  readonly match?: ImageMatch
  readonly failure?: FileFailure
}

/** Files are dropped here: each is recognized, and a job of the server imports and measures them, up to the page with the answer. */
export default function Import() {
  const answer = useQuery(ImportPageDocument, {}, 'cache-and-network')
  const mayChange = useMayChange()
  return (
    <>
      <h1>Which system is better, and where does it fail?</h1>
      <p class="lede">
        Drop the captions of people and those of one or several systems, all at once: COCO’s JSON, JSON by
        image, CSV, or another common format, compressed or not. Everything is measured by itself.
      </p>
      <Awaited answer={answer} height={400}>
        {({ datasets, jobs }) =>
          mayChange ? (
            <Form datasets={datasets?.nodes ?? []} running={jobs?.nodes ?? []} />
          ) : (
            <NotFound title="Hosts of this server import files.">
              What is here can be read by everybody, and challenges take captions of teams.{' '}
              <Link to={href('challenges')}>Challenges</Link>, <Link to={signInAddress()}>sign in</Link>
            </NotFound>
          )
        }
      </Awaited>
    </>
  )
}

/** What stands at a file: the number distinguishes two of the same name. */
let lastKey = 0

interface FormProps {
  readonly datasets: NonNullable<ImportPageQuery['datasets']>['nodes']
  /** Imports that have not ended. */
  readonly running: readonly JobRowFragment[]
}

function Form({ datasets, running }: FormProps) {
  const [wanted] = useSetting('kind', '')
  const [chosen] = useSetting('dataset', '')
  const [id, follow] = useSetting('job', '')
  const job = useJob(id || undefined, (error) => {
    setFailure(error)
    // Who has signed out comes back to it.
    if (error.code !== 'UNAUTHENTICATED') follow('')
  })
  const [items, setItems] = useState<readonly Item[]>([])
  const [given, setGiven] = useState<string>()
  const [isReplacing, setReplacing] = useState<boolean>()
  const [failure, setFailure] = useState<FileFailure>()
  /** What is written while files are sent is read by what runs at the same time. */
  const current = useRef(items)
  const update = (next: readonly Item[]) => {
    current.current = next
    setItems(next)
  }
  const change = (key: number, with_: Partial<Item>) =>
    update(current.current.map((item) => (item.key === key ? { ...item, ...with_ } : item)))
  const add = (files: readonly File[]) => {
    const added = files.map((file) => ({ key: ++lastKey, file, sent: 0 }))
    // A file that was repaired takes the place of what was refused.
    const kept = current.current.filter(
      ({ failure, file }) => !(failure && files.some(({ name }) => name === file.name)),
    )
    setFailure(undefined)
    update([...kept, ...added])
    const content = wanted.toUpperCase()
    void sendAll(added, change, content in TITLES ? (content as Content) : undefined)
  }
  useEffect(() => {
    const dropped = takeDropped()
    if (dropped.length > 0) add(dropped)
  }, [])
  useEffect(() => {
    if (job?.status === 'DONE' && job.result?.__typename === 'FilesResult')
      return replaceWith(href() + (job.result.page ?? 'jobs'))
    // Once the files are imported, there is nothing left to correct here.
    if (!job || isUnfinished(job) || job.result) return
    // What is wrong with a file stands beside it.
    const found: FileFailure = failureOf(job)
    const [file] = current.current
      .filter(({ file }) => found.message.startsWith(`${file.name}:`))
      .sort((one, other) => other.file.name.length - one.file.name.length)
    if (file) change(file.key, { failure: found })
    else setFailure(found)
    follow('')
  }, [job?.status])

  const people = items.find(({ content }) => content === 'CAPTIONS')
  const ofImages = items.find(({ dataset }) => dataset)?.dataset
  const name = given ?? (people ? datasetNameOf(people.file.name) : chosen || (ofImages ?? ''))
  const known = datasets.find((dataset) => dataset.name === name)
  const isAdding = people !== undefined && known !== undefined && isReplacing === false
  const imported = isAdding ? items.filter((item) => item !== people) : items
  const names = namesOf(items)
  const isUnclear = mayBeOfPeople(items, chosen || ofImages)
  const problem =
    problemOf(imported, name) ??
    (isUnclear ? 'Say which file holds the captions of people.' : undefined) ??
    (people && known && isReplacing === undefined ? 'Say what becomes of the dataset.' : undefined) ??
    (imported.length === 0 ? 'Nothing is left to add.' : undefined)

  const run = async (isReplaced = people !== undefined && isReplacing === true) => {
    setFailure(undefined)
    try {
      for (const item of current.current.filter(({ content }) => isModel(content))) {
        await startModel(item, name)
        // Another attempt to import the rest does not start it again.
        update(current.current.filter(({ key }) => key !== item.key))
      }
      const files = current.current.filter(({ key }) => !(isAdding && key === people?.key))
      for (const { key } of files) change(key, { failure: undefined })
      if (files.length === 0) return navigate(href('jobs'))
      const input = {
        dataset: name,
        isReplaced,
        files: files.map((item) => inputOf(item, names.get(item.key))),
      }
      follow(await startJob(ImportFilesDocument, { input }))
    } catch (error) {
      setFailure(error as Error)
    }
  }
  if (id && failure) return <RefusedFile failure={failure} />
  if (id) return job ? <Running job={job} /> : <p class="pending" role="status" />
  return (
    <form
      class="import"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      {running.map((other) => (
        <p key={other.id} class="note">
          <Link to={`${href('import')}?job=${other.id}`}>An import runs</Link>
          {': '}
          {textOf(other, 'dataset')}, {Math.round(100 * other.progress)} %
        </p>
      ))}
      <DropField isMultiple choose={add} />
      {items.length > 0 && (
        <ul class="files">
          {items.map((item) => (
            <Dropped
              key={item.key}
              item={item}
              system={names.get(item.key) ?? ''}
              change={(with_) => change(item.key, with_)}
              share={() => {
                change(item.key, { isPartial: true })
                void run()
              }}
              remove={() => update(items.filter(({ key }) => key !== item.key))}
            />
          ))}
        </ul>
      )}
      {isUnclear && <WhichOfPeople items={items} change={change} />}
      {items.length > 0 && (
        <>
          <label>
            {people && !known ? 'Name of the new dataset' : 'Dataset'}{' '}
            <input
              list="datasets"
              value={name}
              onInput={({ currentTarget }) => setGiven(currentTarget.value)}
              required
            />
            <datalist id="datasets">
              {datasets.map((dataset) => (
                <option key={dataset.name} value={dataset.name} />
              ))}
            </datalist>
          </label>
          {!people && known && ofImages === name && given === undefined && (
            <p class="note">{name} has the images of these files. Are they of another dataset? Name it.</p>
          )}
          {people && known && (
            <fieldset>
              <legend>There is a dataset {name}.</legend>
              <label>
                <input
                  type="radio"
                  name="existing"
                  checked={isReplacing === false}
                  onChange={() => setReplacing(false)}
                />{' '}
                Add these systems to it, and leave its captions of people as they are
              </label>
              <label>
                <input
                  type="radio"
                  name="existing"
                  checked={isReplacing === true}
                  onChange={() => setReplacing(true)}
                />{' '}
                Replace it, with its {counted(known.systems?.totalCount ?? 0, 'system')}, which cannot be
                undone
              </label>
            </fieldset>
          )}
          {problem && <p class="note">{problem}</p>}
          <button type="submit" class="primary" disabled={problem !== undefined}>
            {known && !isReplacing ? `Add to ${name} and measure` : 'Import and measure'}
          </button>
        </>
      )}
      {failure && <RefusedFile failure={failure} losesFiles />}
      {failure?.code === 'NAME_TAKEN' && items.length > 0 && (
        <button type="button" onClick={() => run(true)}>
          Replace what has the name, which cannot be undone
        </button>
      )}
    </form>
  )
}

/** A value of the input of a job. */
const textOf = ({ input }: JobRowFragment, name: string) => input.find((value) => value.name === name)?.text

/** An import that runs on the server, also without this page, or whose scores are missing. */
function Running({ job }: { readonly job: JobRowFragment }) {
  const count = job.input.filter(({ name }) => name.endsWith('.content')).length
  if (!isUnfinished(job)) {
    return (
      <section class="import" aria-label="Import">
        <h2>The files are imported: {textOf(job, 'dataset')}</h2>
        <JobState job={job} />
        <Outcome job={job} />
      </section>
    )
  }
  return (
    <section class="import" aria-label="Import">
      <h2>
        Importing {counted(count, 'file')}: {textOf(job, 'dataset')}
      </h2>
      <JobState job={job} />
      <p>
        You can leave this page: the server goes on, and <Link to={href('jobs')}>Jobs</Link> shows how far it
        is.
      </p>
      <CancelButton id={job.id} />
    </section>
  )
}

/** Whether files of captions, one of each image, may be of people: nothing says of which dataset they are. */
function mayBeOfPeople(items: readonly Item[], dataset: string | undefined): boolean {
  const captions = items.filter(({ content }) => content === 'RESULTS')
  return (
    dataset === undefined &&
    captions.length > 1 &&
    !items.some(({ content, isSaid }) => content === 'CAPTIONS' || isSaid)
  )
}

interface WhichProps {
  readonly items: readonly Item[]
  readonly change: (key: number, with_: Partial<Item>) => void
}

/** Asks which of several files with one caption of each image is of people. */
function WhichOfPeople({ items, change }: WhichProps) {
  const captions = items.filter(({ content }) => content === 'RESULTS')
  return (
    <fieldset>
      <legend>Each file has one caption of an image. Which has those of people?</legend>
      {captions.map(({ key, file }) => (
        <label key={key}>
          <input
            type="radio"
            name="people"
            onChange={() => change(key, { content: 'CAPTIONS', isSaid: true })}
          />{' '}
          {file.name}
        </label>
      ))}
      <label>
        <input type="radio" name="people" onChange={() => change(captions[0].key, { isSaid: true })} /> None:
        all are of systems, for a dataset that exists
      </label>
    </fieldset>
  )
}

/** What has to be done before files can be imported. */
function problemOf(items: readonly Item[], dataset: string): string | undefined {
  if (items.some(({ upload, failure }) => !upload && !failure)) return 'The files are still being sent.'
  if (items.some(({ upload }) => !upload)) return 'Remove what could not be sent, or choose it again.'
  const unknown = items.find(({ content }) => !content)
  if (unknown) return `Say what ${unknown.file.name} holds.`
  if (items.filter(({ content }) => content === 'CAPTIONS').length > 1)
    return 'Two files hold captions of people, and a dataset is made of one. Say which of them is of a system, or remove one.'
  if (dataset !== '' || items.every(({ content }) => content === 'ARTEFACT')) return undefined
  return 'Name the dataset, or choose a file with the captions of people as well.'
}

/** The systems of the files that need one. */
function namesOf(items: readonly Item[]): ReadonlyMap<number, string> {
  const ofSystems = items.filter(({ content }) => isOfSystem(content))
  const captions = items.find(({ content }) => content === 'CAPTIONS')?.file.name
  const names = systemNamesOf(
    ofSystems.map(({ file }) => file.name),
    captions,
  )
  return new Map(ofSystems.map(({ key, system }, index) => [key, system ?? names[index]]))
}

type Change = (key: number, with_: Partial<Item>) => void

/**
 * Sends files one after the other, and asks what each holds. Where all have one caption of each image, and the name of one says that
 * it is of people, it is.
 */
async function sendAll(items: readonly Item[], change: Change, wanted: Content | undefined): Promise<void> {
  const recognized: {
    readonly key: number
    readonly name: string
    readonly content?: Content
    readonly dataset?: string
  }[] = []
  for (const { key, file } of items) {
    try {
      const { id: upload } = await uploadFile(file, (sent) => change(key, { sent }))
      const { data, error } = await client.query(RecognizedFileDocument.toString(), { upload }).toPromise()
      const found = data?.recognizedFile
      const content: Content | undefined = found?.content ?? wanted
      const dataset: string | undefined = found?.dataset?.name
      recognized.push({ key, name: file.name, content, dataset })
      change(key, {
        upload,
        sent: 1,
        format: found?.formatName ?? null,
        content,
        dataset,
        ...(error && { failure: errorOf(error) }),
      })
    } catch (error) {
      change(key, { failure: error as Error })
    }
  }
  const isOne =
    recognized.length > 1 && recognized.every(({ content, dataset }) => content === 'RESULTS' && !dataset)
  const ofPeople = recognized.filter(({ name }) => namesPeople(name))
  if (isOne && ofPeople.length === 1) change(ofPeople[0].key, { content: 'CAPTIONS' })
}

/** A file as the server imports it. */
function inputOf(item: Item, system: string | undefined) {
  const { upload, content, isPartial, match } = item
  const columns = columnsOf(item)
  return {
    upload: upload as string,
    content: content as FileContent,
    ...(isOfSystem(content) && { system }),
    ...(isOfCaptions(content) && columns && { columns: Object.fromEntries(readNamedColumns(columns)) }),
    ...(content === 'RESULTS' && match && { match }),
    ...(isPartial && { isPartial }),
  }
}

/** Starts the import of a trained model. */
function startModel({ upload, content }: Item, dataset: string): Promise<string> {
  const file = { upload: upload as string }
  return content === 'BOUND'
    ? startJob(ImportBoundDocument, { input: { ...file, dataset } })
    : startJob(ImportArtefactDocument, { input: file })
}

/** Whether what a file calls images and captions can be said. */
const isOfCaptions = (content: Content | undefined) => content === 'CAPTIONS' || content === 'RESULTS'

/** What is said of the columns of a file, or suggested by its failure. */
const columnsOf = ({ columns, failure }: Item) => columns ?? suggestedColumns(failure?.message ?? '') ?? ''

/** The rules by which the names of a file are those of images. */
const RULES: Readonly<Record<ImageMatch, string>> = {
  ID: 'id',
  NAME: 'file name',
  STEM: 'file name without folder and extension',
  NUMBER: 'number at the end of the name',
}

/** Failures of files that name other images than the dataset. */
const OTHER_IMAGES = ['MISSING_IMAGES', 'UNKNOWN_IMAGE']

interface DroppedProps {
  readonly item: Item
  readonly system: string
  readonly change: (with_: Partial<Item>) => void
  /** Imports it without the images that only it or only the dataset has. */
  readonly share: () => void
  readonly remove: () => void
}

/** A file: what it holds, of which system, and how far it is. */
function Dropped({ item, system, change, share, remove }: DroppedProps) {
  const { file, sent, upload, content, format, failure } = item
  const shown = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (failure) shown.current?.scrollIntoView({ block: 'nearest' })
  }, [failure])
  return (
    <li ref={shown}>
      <p>
        <strong>{file.name}</strong>
        <button type="button" class="quiet" onClick={remove} aria-label={`Remove ${file.name}`}>
          remove
        </button>
      </p>
      {!upload && !failure && <Sent share={sent} />}
      {upload && (
        <p class="controls">
          <label>
            holds{' '}
            <select
              value={content ?? ''}
              onChange={({ currentTarget }) =>
                change({ content: currentTarget.value as Content, isSaid: true, failure: undefined })
              }
            >
              {!content && <option value="">nothing that is recognized</option>}
              {Object.entries(TITLES).map(([key, title]) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          </label>
          {isOfSystem(content) && (
            <label>
              named{' '}
              <input
                value={system}
                onInput={({ currentTarget }) => change({ system: currentTarget.value })}
                required
              />
            </label>
          )}
          {format && <span class="note">{format}</span>}
        </p>
      )}
      {failure && <RefusedFile failure={failure} losesFiles />}
      {failure && isOfCaptions(content) && (
        <p class="controls">
          <label>
            columns{' '}
            <input
              value={columnsOf(item)}
              placeholder="image=filepath,caption=title"
              onInput={({ currentTarget }) => change({ columns: currentTarget.value })}
            />
          </label>
          {content === 'RESULTS' && (
            <label>
              images by{' '}
              <select
                value={item.match ?? ''}
                onChange={({ currentTarget }) =>
                  change({ match: (currentTarget.value || undefined) as ImageMatch | undefined })
                }
              >
                <option value="">what finds the most</option>
                {Object.entries(RULES).map(([rule, title]) => (
                  <option key={rule} value={rule}>
                    {title}
                  </option>
                ))}
              </select>
            </label>
          )}
        </p>
      )}
      {failure?.code && OTHER_IMAGES.includes(failure.code) && !item.isPartial && (
        <p>
          <button type="button" onClick={share}>
            Measure the images that both have
          </button>
        </p>
      )}
    </li>
  )
}
