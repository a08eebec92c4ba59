import { describe, expect, it } from 'vitest';
import { legibleAttributes } from '../../../core/definition/legible-attributes';

describe('stored search attributes', () => {
  it('are returned as they are stored', () => {
    const stored = {
      Team: { type: 'KEYWORD', value: 'billing' },
      Old: { value: ['a'] },
      None: { value: null },
    } as never;
    expect(legibleAttributes(stored)).toEqual(stored);
  });

  it.for([null, undefined, [], 'text', 7, true])('none are returned of %j', (stored) => {
    expect(legibleAttributes(stored as never)).toEqual({});
  });

  it.for([null, [], 'text', 7, {}, { type: 'KEYWORD' }, { type: 7, value: 'a' }, { type: null, value: 'a' }])(
    'one in another form is left out, and the others stay: %j',
    (other) => {
      const Team = { type: 'KEYWORD', value: 'billing' };
      expect(legibleAttributes({ Other: other, Team } as never)).toEqual({ Team });
    },
  );
});
