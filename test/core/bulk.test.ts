import { expect, it } from 'vitest';
import { BULK_KINDS, BULK_OPERATION_STATES, BULK_OUTCOMES, BULK_WAITS } from '../../core/bulk';

// The ledger stores these words, and programs of other versions and languages read them, as docs/api.md says.
it.each<[what: string, words: readonly string[], kept: string[]]>([
  ['kinds', BULK_KINDS, ['pause', 'unpause', 'trigger', 'tag']],
  ['states', BULK_OPERATION_STATES, ['running', 'done', 'cancelled']],
  ['reasons to wait', BULK_WAITS, ['turn', 'process']],
  ['outcomes', BULK_OUTCOMES, ['changed', 'unchanged', 'failed']],
])('the %s of bulk changes keep their words in all versions', (_, words, kept) => {
  expect([...words].sort()).toEqual(kept.sort());
});
