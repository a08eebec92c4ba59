import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOfName, scopedName } from '../../core/scoped-name';

describe('the name in the ledger', () => {
  it.each<[what: string, tenant: string | undefined, name: string, stored: string]>([
    ['has the tenant before it', 'acme', 'defaults', '["acme","defaults"]'],
    ['is the given one without a tenant', undefined, 'defaults', 'defaults'],
    ['is the given one for the empty tenant', '', 'defaults', 'defaults'],
    ['keeps quotes and brackets apart', 'a"]', '["b', '["a\\"]","[\\"b"]'],
    ['may have an empty name', 'acme', '', '["acme",""]'],
  ])('%s', (_, tenant, name, stored) => {
    expect(scopedName(tenant, name)).toBe(stored);
  });

  it.each([
    [['acme', 'defaults'], '["acme","defaults"]'],
    [['acme', ''], '["acme",""]'],
    [['acme', '["other","defaults"]'], scopedName('acme', '["other","defaults"]')],
  ])('is read back as %j', (parts, stored) => {
    expect(partsOfName(stored)).toEqual(parts);
  });

  it.each([
    ['a plain name', 'defaults'],
    ['an empty one', ''],
    ['a name that begins with a bracket', '[draft] defaults'],
    ['a name that ends with a bracket', 'defaults['],
    ['a text that JSON cannot read', '["acme","defaults"'],
    ['an empty list', '[]'],
    ['a list of one', '["acme"]'],
    ['a list of three', '["acme","defaults","more"]'],
    ['a list with a number first', '[1,"defaults"]'],
    ['a list with a number second', '["acme",1]'],
    ['a list of numbers', '[1,2]'],
    ['a JSON text', '"[]"'],
    ['a list after a space', ' ["acme","defaults"]'],
    ['a JSON object', '{"length":2}'],
  ])('has no tenant if it is %s', (_, stored) => {
    expect(partsOfName(stored)).toBeUndefined();
  });

  it('is another for each tenant and name, and is read back, whatever the texts are', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (tenant, name) => {
        expect(partsOfName(scopedName(tenant, name))).toEqual([tenant, name]);
      }),
    );
  });
});
