import { describe, expect, it } from 'vitest';
import {
  checkEncodedSizes,
  checkMemoSize,
  checkResultSize,
  type EncodedSizes,
} from '../../../core/definition/payload-limits';
import { InvalidScheduleError } from '../../../core/errors';

/** 2 MiB. */
const ARGS = 2_097_152;
/** 2 MiB less the 8 KiB of Escapement's own memo. */
const MEMO = 2_088_960;
/** 4 MiB less the 128 KiB of a request's other fields. */
const TOGETHER = 4_063_232;

const NOTHING: EncodedSizes = { args: 0, memo: 0, staticSummary: 0, staticDetails: 0 };

describe('the encoded fields of an action', () => {
  it('may all be empty', () => {
    expect(() => checkEncodedSizes(NOTHING)).not.toThrow();
  });

  it.each<[keyof EncodedSizes, number]>([
    ['args', ARGS],
    ['memo', MEMO],
    ['staticSummary', 400],
    ['staticDetails', 20_000],
  ])('may have %s of %i bytes, and are refused by its path for one byte more', (field, most) => {
    expect(() => checkEncodedSizes({ ...NOTHING, [field]: most })).not.toThrow();
    const attempt = () => checkEncodedSizes({ ...NOTHING, [field]: most + 1 });
    expect(attempt).toThrow(InvalidScheduleError);
    expect(attempt).toThrow(`action.${field}: has ${most + 1} bytes when encoded; Temporal takes at most ${most}`);
  });

  it.each<[string, EncodedSizes]>([
    ['args and memo', { ...NOTHING, args: ARGS, memo: TOGETHER - ARGS }],
    ['args, memo and details', { ...NOTHING, args: ARGS, memo: TOGETHER - ARGS - 20_000, staticDetails: 20_000 }],
    [
      'args and memo, with a summary, which is small',
      { ...NOTHING, args: ARGS, memo: TOGETHER - ARGS, staticSummary: 400 },
    ],
  ])('fit into one message together, and are refused for one byte more: %s', (_, sizes) => {
    expect(() => checkEncodedSizes(sizes)).not.toThrow();
    const attempt = () => checkEncodedSizes({ ...sizes, memo: sizes.memo + 1 });
    expect(attempt).toThrow(InvalidScheduleError);
    expect(attempt).toThrow(
      'action.memo: has 4063233 bytes when encoded, with args and details; Temporal takes at most 4063232',
    );
  });
});

describe('the memo of a schedule itself', () => {
  it('may be as large as that of a workflow, and is refused for one byte more', () => {
    expect(() => checkMemoSize(MEMO)).not.toThrow();
    const attempt = () => checkMemoSize(MEMO + 1);
    expect(attempt).toThrow(InvalidScheduleError);
    expect(attempt).toThrow('memo: has 2088961 bytes when encoded; Temporal takes at most 2088960');
  });
});

describe('the result of a parked step', () => {
  it('leaves 8 KiB of a signal’s 2 MiB to the decision, and is refused for one byte more', () => {
    expect(() => checkResultSize(2_088_960)).not.toThrow();
    expect(() => checkResultSize(2_088_961)).toThrow(
      expect.objectContaining({
        name: 'InvalidOptionError',
        message: 'result: has 2088961 bytes when encoded; Temporal takes at most 2088960',
      }),
    );
  });
});
