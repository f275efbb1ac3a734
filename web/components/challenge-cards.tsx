import { href, Link } from '../app/router'
import type { ChallengeCardFragment } from '../generated/documents'
import { Stage } from './stage'

/** Challenges with the dates of their phases; nothing if there are none. */
export function ChallengeCards({ challenges }: { readonly challenges: readonly ChallengeCardFragment[] }) {
  if (challenges.length === 0) return null
  return (
    <>
      <h2>Challenges</h2>
      <ul class="cards wide">
        {challenges.map(({ name, title, isDraft, phases }) => (
          <li key={name}>
            <h3>
              <Link to={href('challenges', name)}>{title}</Link>
            </h3>
            {isDraft && <p class="note">A draft, which only its hosts see.</p>}
            <dl class="facts">
              {phases.map((phase) => (
                <div key={phase.name}>
                  <dt>
                    <Link to={href('challenges', name, phase.name)}>{phase.name}</Link>
                  </dt>
                  <dd>
                    <Stage {...phase} />
                  </dd>
                </div>
              ))}
            </dl>
            {phases.length === 0 && <p class="note">It has no phases yet.</p>}
          </li>
        ))}
      </ul>
    </>
  )
}
