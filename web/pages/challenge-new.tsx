import { useState } from 'preact/hooks'
import { accounts } from '../app/accounts'
import { change } from '../app/change'
import { useQuery } from '../app/client'
import { href, Link, navigate } from '../app/router'
import { signInAddress } from '../app/sign-in-address'
import { Field, Form, textIn } from '../components/form'
import { Closes, NewPhaseFields, newPhaseIn, timeIn } from '../components/phase-form'
import { Awaited, Empty, NotFound } from '../components/states'
import { ChallengeNewDocument, type ChallengeNewQuery, CreateChallengeDocument } from '../generated/documents'

/** The phases of the preset, with what their dataset is. */
const COCO = {
  'val-c5': 'val2014, with five captions of each image',
  'val-c40': 'val2014, with forty captions of each image',
  'test-c5': 'test2014, with five captions of each image; private',
  'test-c40': 'test2014, with forty captions of each image; private',
} as const

/** A new challenge. Its rules are then changed on the page for its hosts. */
export default function ChallengeNew() {
  const answer = useQuery(ChallengeNewDocument, {})
  return (
    <Awaited answer={answer} height={500}>
      {({ viewer: { scopes, teams }, datasets }) =>
        !scopes.includes('HOST') ? (
          <NotFound title="Hosts create challenges.">
            {accounts && <Link to={signInAddress()}>Sign in</Link>}
          </NotFound>
        ) : teams.length === 0 ? (
          <NotFound title="A team hosts a challenge.">
            <Link to={href('account')}>Create a team</Link>
          </NotFound>
        ) : (
          <New teams={teams} datasets={(datasets?.nodes ?? []).map(({ name }) => name)} />
        )
      }
    </Awaited>
  )
}

interface NewProps {
  readonly teams: ChallengeNewQuery['viewer']['teams']
  readonly datasets: readonly string[]
}

function New({ teams, datasets }: NewProps) {
  const [isPreset, setPreset] = useState(false)
  const send = async (values: FormData) => {
    const name = textIn(values, 'name')
    const ofPreset = Object.keys(COCO)
      .map((phase) => ({ name: phase, dataset: textIn(values, phase), closesAt: timeIn(values, 'closesAt') }))
      .filter(({ dataset }) => dataset !== '')
    if (isPreset && ofPreset.length === 0) throw new Error('Choose a dataset for at least one phase.')
    const input = {
      name,
      title: textIn(values, 'title') || name,
      team: textIn(values, 'team'),
      // Nobody else sees it before its hosts have looked at its rules.
      isDraft: true,
      phases: isPreset ? ofPreset : [newPhaseIn(values)],
      ...(isPreset && { preset: 'COCO_CAPTIONS_2015' as const }),
    }
    await change(CreateChallengeDocument, { input })
    navigate(href('challenges', name, 'host'))
    return undefined
  }
  return (
    <>
      <h1>Create a challenge</h1>
      <p class="lede">
        A challenge scores captions of teams against the same references. It begins as a draft that only its
        hosts see: you set dates, metrics, baselines and limits of its phases, and then open it.
      </p>
      {datasets.length === 0 ? (
        <Empty upload="captions">A challenge needs a dataset, and there is none.</Empty>
      ) : (
        <Form action="Create the draft" send={send}>
          <Field
            label="Name"
            name="name"
            required
            autocomplete="off"
            autofocus
            hint="Its address, which cannot change: /challenges/NAME."
          />
          <Field label="Title" name="title" autocomplete="off" hint="Empty: the name." />
          {teams.length === 1 ? (
            <input type="hidden" name="team" value={teams[0].id} />
          ) : (
            <label>
              Team that hosts it
              <select name="team">
                {teams.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label>
            Rules
            <select
              value={isPreset ? 'coco' : ''}
              onChange={({ currentTarget }) => setPreset(currentTarget.value === 'coco')}
            >
              <option value="">My own, for one phase</option>
              <option value="coco">Those of COCO Captions 2015: up to four phases</option>
            </select>
          </label>
          {isPreset ? (
            <>
              {Object.entries(COCO).map(([phase, hint]) => (
                <label key={phase}>
                  Dataset of {phase}
                  <select name={phase}>
                    <option value="">no such phase</option>
                    {datasets.map((name) => (
                      <option key={name}>{name}</option>
                    ))}
                  </select>
                  <small>{hint}</small>
                </label>
              ))}
              <Closes />
            </>
          ) : (
            <NewPhaseFields datasets={datasets} phase="main" />
          )}
        </Form>
      )}
    </>
  )
}
