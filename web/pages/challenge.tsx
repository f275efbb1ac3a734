import type { ComponentChildren } from 'preact'
import { grouped as count, counted } from '../../src/shared/numbers'
import { useQuery } from '../app/client'
import { href, Link, type Parameters } from '../app/router'
import { Moment, Stage } from '../components/stage'
import { Awaited, Unknown } from '../components/states'
import { ChallengeDocument, type ChallengeQuery } from '../generated/documents'

type Shown = NonNullable<ChallengeQuery['challenge']>
type Phase = Shown['phases'][number]

/** The rules of a challenge. */
export default function Challenge({ challenge: name }: Parameters) {
  const answer = useQuery(ChallengeDocument, { name })
  return (
    <Awaited answer={answer} height={700}>
      {({ challenge, viewer }) =>
        challenge ? (
          <Rules
            name={name}
            challenge={challenge}
            isHost={challenge.isHosted && viewer.scopes.includes('HOST')}
          />
        ) : (
          <Unknown kind="challenge" name={name} />
        )
      }
    </Awaited>
  )
}

interface RulesProps {
  readonly name: string
  readonly challenge: Shown
  readonly isHost: boolean
}

function Rules({
  name,
  challenge: { title, descriptionHtml, timeZone, isDraft, phases },
  isHost,
}: RulesProps) {
  const isOpen = phases.some(({ stage }) => stage === 'OPEN')
  return (
    <>
      <h1>{title}</h1>
      {isDraft && <p class="draft">A draft, which only its hosts see.</p>}
      {/* The server renders Markdown without HTML, scripts and pictures of its own. */}
      <div class="prose" dangerouslySetInnerHTML={{ __html: descriptionHtml }} />
      <p class="controls">
        <Link to={href('challenges', name, 'submit')} class={`button${isOpen ? ' primary' : ''}`}>
          {isOpen ? 'Submit captions' : 'My submissions'}
        </Link>
        {isHost && <Link to={href('challenges', name, 'host')}>For hosts</Link>}
      </p>
      <h2>Phases</h2>
      <p class="note">
        Times are those of your time zone, {Intl.DateTimeFormat().resolvedOptions().timeZone}. Days, for
        limits per day, begin at midnight in {timeZone}. The clock of the server decides.
      </p>
      {phases.length === 0 && <p>There are none yet.</p>}
      <ul class="cards wide">
        {phases.map((phase) => (
          <li key={phase.name}>
            <h3>
              <Link to={href('challenges', name, phase.name)}>Board of {phase.name}</Link>
            </h3>
            <PhaseFacts phase={phase} />
          </li>
        ))}
      </ul>
    </>
  )
}

function PhaseFacts({ phase }: { readonly phase: Phase }) {
  const { dataset, isPrivate, metrics, rankedBy, references, boardFrom, admittedTeamCount, limits } = phase
  return (
    <dl class="facts">
      <Fact term="state">
        <Stage {...phase} />
      </Fact>
      {phase.stage === 'UPCOMING' ? (
        <Fact term="closes">
          <Moment at={phase.closesAt} />
        </Fact>
      ) : (
        <Fact term="opened">
          <Moment at={phase.opensAt} />
        </Fact>
      )}
      <Fact term="images">
        {dataset ? (
          <>
            {count(dataset.imageCount)} of <Link to={href('d', dataset.name)}>{dataset.name}</Link>
          </>
        ) : (
          'of a private dataset'
        )}
      </Fact>
      <Fact term="references">
        {isPrivate ? 'private' : 'public'},{' '}
        {references === null ? 'all of each image' : `${counted(references, 'reference')} of each image`}
      </Fact>
      <Fact term="ranked by">{rankedBy.name}</Fact>
      <Fact term="also shown">
        {metrics.flatMap(({ name }) => (name === rankedBy.name ? [] : [name])).join(', ') || 'nothing'}
      </Fact>
      <Fact term="scores of single images">{phase.isImageScoreShown ? 'shown to teams' : 'hidden'}</Fact>
      <Fact term="board">
        {boardFrom === null ? (
          'public'
        ) : (
          <>
            from <Moment at={boardFrom} />
          </>
        )}
      </Fact>
      {admittedTeamCount !== null && <Fact term="teams">{count(admittedTeamCount)} that hosts admit</Fact>}
      <Fact term="submissions of a team">
        {[
          [limits.perDay, 'a day'],
          [limits.total, 'in all'],
          [limits.concurrent, 'at a time'],
          [limits.attempts, 'attempts'],
        ]
          .filter(([limit]) => limit !== null)
          .map(([limit, noun]) => `${limit} ${noun}`)
          .join(', ') || 'without limit'}
      </Fact>
    </dl>
  )
}

function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}
