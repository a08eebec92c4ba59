import { describe, expect, it } from 'vitest';
import { isUuid } from '../../core/uuid';

const ID = '01a21ffb-7807-76a8-8764-86715563ba8f';

describe('what Postgres takes as a UUID', () => {
  it('is taken in small letters and in capitals', () => {
    expect(isUuid(ID)).toBe(true);
    expect(isUuid(ID.toUpperCase())).toBe(true);
  });

  it.for([
    ...['', 'id', ID.slice(1), `${ID}0`, ` ${ID}`, `${ID} `, `${ID}\n`, ID.replaceAll('-', '')],
    ...[ID.replace('0', 'g'), ID.replace('f', 'x'), ID.replaceAll('-', '_'), `{${ID}}`],
    ...['01a21ffb7-807-76a8-8764-86715563ba8f', '01a21ffb-7807-76a8-87648-6715563ba8f', `${ID.slice(0, -1)}-`],
  ])('any other text is refused: %j', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});
