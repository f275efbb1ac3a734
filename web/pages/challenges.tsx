import { useQuery } from '../app/client'
import { href, Link } from '../app/router'
import { ChallengeCards } from '../components/challenge-cards'
import { Awaited, Empty } from '../components/states'
import { ChallengesDocument } from '../generated/documents'

/** All challenges, and where they stand. */
export default function Challenges() {
  const answer = useQuery(ChallengesDocument, {})
  return (
    <>
      <h1>Which challenges are open?</h1>
      <p class="lede">
        A challenge scores captions of teams against the same references, under rules that are the same for
        all.
      </p>
      <Awaited answer={answer} height={300}>
        {({ challenges, viewer }) => (
          <>
            {challenges && challenges.nodes.length > 0 ? (
              <ChallengeCards challenges={challenges.nodes} />
            ) : (
              <Empty command="accord challenge create demo --phase main=DATASET --closes 2027-01-01T00:00:00Z">
                There is no challenge yet.
              </Empty>
            )}
            {viewer.scopes.includes('HOST') && (
              <p class="controls">
                <Link to={href('challenges', 'new')} class="button">
                  Host a challenge
                </Link>
              </p>
            )}
          </>
        )}
      </Awaited>
    </>
  )
}
