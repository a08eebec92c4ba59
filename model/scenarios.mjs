/** The scenarios of the model, and what a search must find without one of its guards. docs/model.md explains them. */

const INVARIANTS = ['NeverDoubled', 'GivenUpNeverRuns', 'SkippedNeverRan', 'LinkedWasStarted', 'SomethingWakesIt'];
const PROPERTIES = ['DoubledOnlyWhenForgotten', 'OnlyLegalTransitions'];

/** @param {Record<string, string | number>} constants the constants that differ from the default */
function scenario(constants = {}) {
  return {
    specification: 'Spec',
    constants: {
      ...{ Triggers: '{t1, t2}', LastEpoch: 0, Lease: 1, Deadline: 2, Settled: 2, RememberedFor: 2, Retention: 4 },
      ...{
        OnUncertain: '"SKIP"',
        Checks: '"at any time"',
        Asks: 1,
        Crashes: 1,
        Losses: 1,
        AdoptedWithin: 0,
        Failovers: 0,
        Without: '{}',
      },
      ...constants,
    },
    invariants: INVARIANTS,
    properties: PROPERTIES,
    symmetric: true,
  };
}

const RESTARTS = { LastEpoch: 1, Asks: 2, Crashes: 0, Losses: 0 };
const FAILOVER = { Asks: 0, Crashes: 0, Losses: 0, Failovers: 1, AdoptedWithin: 1, RememberedFor: 1, Retention: 5 };

/** Each must hold. */
export const SCENARIOS = {
  'two triggers': scenario(),
  'two triggers, onUncertain START': scenario({ OnUncertain: '"START"' }),
  'restarts: a second epoch': scenario(RESTARTS),
  'a failover to an older copy': scenario(FAILOVER),
  'three triggers': scenario({ Triggers: '{t1, t2, t3}', Asks: 0, Losses: 0 }),
  'what is claimed is settled': {
    ...scenario({ Asks: 0, Losses: 1, Checks: '"when nobody is at it"' }),
    ...{ specification: 'FairSpec', invariants: [], properties: ['ClaimedIsSettled'], symmetric: false },
  },
};

/**
 * A search for what the guard prevents. Only that is searched for, since several workers may find another violation
 * first.
 *
 * @param {string} property the invariant that is violated without the guard
 * @param {Record<string, string | number>} constants as for {@link scenario}
 */
const violated = (property, constants) => ({ ...scenario(constants), invariants: [property], properties: [] });

/** @param {string} guard the guard to leave out, as `Firing.tla` names it */
const without = (guard, property, constants = {}) => violated(property, { ...constants, Without: `{"${guard}"}` });

/** Without any one of these guards, the search finds a counterexample. */
export const WITHOUT = {
  'announce before the call': without('announce before the call', 'SkippedNeverRan'),
  'owner at the announcement': without('owner at the announcement', 'SkippedNeverRan'),
  'no call after the lease': without('no call after the lease', 'GivenUpNeverRuns'),
  "take back one's own announcement": without("take back one's own announcement", 'SkippedNeverRan'),
  'link by epoch': without('link by epoch', 'LinkedWasStarted', RESTARTS),
  'IDs by key and epoch': without('IDs by key and epoch', 'NeverDoubled'),
  'what was called never waits': without('what was called never waits', 'SkippedNeverRan'),
  'call again only while remembered': without('call again only while remembered', 'NeverDoubled'),
  'ask before giving up': without('ask before giving up', 'GivenUpNeverRuns'),
  'wait before giving up': without('wait before giving up', 'GivenUpNeverRuns'),
  'give up what was decided on': without('give up what was decided on', 'GivenUpNeverRuns'),
  'adoption is a gate': without('adoption is a gate', 'NeverDoubled', FAILOVER),
  'a margin of the retention': violated('NeverDoubled', { Retention: 2 }),
};
