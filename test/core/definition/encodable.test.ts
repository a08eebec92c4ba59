import { describe, expect, it } from 'vitest';
import { checkEncodable } from '../../../core/definition/encodable';
import { InvalidScheduleError } from '../../../core/errors';

const call = () => 1;
const mark = Symbol('mark');

class Money {
  readonly format = call;
}

const itself: Record<string, unknown> = { amount: 1 };
itself.self = itself;
const parent: Record<string, unknown> = {};
parent.children = [{ parent }];

const withoutPrototype = (fields: object) => Object.assign(Object.create(null), fields);

describe('a value that JSON or the data converter can encode', () => {
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'function'],
    ['a number', 0],
    ['a flag', false],
    ['an empty list', []],
    ['an empty object', {}],
    ['nested lists and objects', [{ a: [null, undefined, 'x', { b: [1, [2]] }] }]],
    ['an object without a prototype', withoutPrototype({ a: 1 })],
    ['a date', new Date(0)],
    ['an object that says what its JSON is', { toJSON: call, callback: call }],
    ['an object of a class, whose functions are its own matter', new Money()],
    ['a map', new Map([['a', call]])],
    ['such objects within lists and objects', [{ money: new Money(), json: { toJSON: call } }]],
    ['an object that contains itself', itself],
    ['an object that contains itself further inside', parent],
  ])('passes: %s', (_, value) => {
    expect(() => checkEncodable(value, 'args')).not.toThrow();
  });
});

describe('a function or symbol, which JSON would drop in silence', () => {
  const list = ['x', call];
  const shared = { call };
  it.each<[string, unknown, string]>([
    ['by itself', call, 'args'],
    ['in a list', [1, call], 'args[1]'],
    ['in an object', { callback: call }, 'args.callback'],
    ['in an object without a prototype', withoutPrototype({ callback: call }), 'args.callback'],
    ['deep inside', [{ options: { list } }], 'args[0].options.list[1]'],
    ['next to something that contains itself', { itself, call }, 'args.call'],
    ['in something that occurs twice, where it occurs first', { first: shared, second: shared }, 'args.first.call'],
    ['twice, where it occurs first', [call, call], 'args[0]'],
  ])('is refused by its path: %s', (_, value, path) => {
    const attempt = () => checkEncodable(value, 'args');
    expect(attempt).toThrow(InvalidScheduleError);
    expect(attempt).toThrow(`${path}: a function cannot be encoded; give plain data, such as text, numbers and lists`);
  });

  it('is refused by the name of the symbol', () => {
    expect(() => checkEncodable({ mark }, 'memo')).toThrow(
      'memo.mark: Symbol(mark) cannot be encoded; give plain data',
    );
  });
});
