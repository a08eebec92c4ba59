import { expect, it } from 'vitest';
import { BURY_AGAIN, BURY_STEP, PARK_SIGNAL, PARKED_QUERY } from '../../../core/letters/park';
import {
  BURY_AGAIN_ENDS_PATCH,
  BURY_AGAIN_PATCH,
  EARLY_DECISION_PATCH,
  PARK_PATCH,
} from '../../../core/letters/park-patch';

// Running workflows have these names in their histories, and people type them by hand, as docs/park.md says.
it.each([
  ['the local activity that parks a step', BURY_STEP, 'escapementBuryStep'],
  ['the signal with a decision', PARK_SIGNAL, 'escapementPark'],
  ['the query that lists parked steps', PARKED_QUERY, 'escapementParked'],
  ['the question for lost letters', BURY_AGAIN, { decision: 'bury' }],
  ['the patch for parking', PARK_PATCH, 'escapement-park'],
  ['the patch for the check of letters', BURY_AGAIN_PATCH, 'escapement-park-again'],
  ['the patch for the end of that check', BURY_AGAIN_ENDS_PATCH, 'escapement-park-again-ends'],
  ['the patch for an early decision', EARLY_DECISION_PATCH, 'escapement-park-early'],
])('%s keeps its name in all versions', (_, name, kept) => {
  expect(name).toEqual(kept);
});
