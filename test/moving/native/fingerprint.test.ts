import { temporal } from '@temporalio/proto';
import { expect, it } from 'vitest';
import { fingerprintOf, hasFingerprint, isSame } from '../../../moving/native/fingerprint';
import type { RawSchedule } from '../../../moving/native/native';
import { earlierFingerprintOf as earlier } from '../../support/moving/fingerprints';

const { DescribeScheduleResponse } = temporal.api.workflowservice.v1;

/** An answer of the server about a schedule whose maps have these keys, in this order. */
function answer(keys: string[]): RawSchedule {
  const map = <Value>(value: Value) => Object.fromEntries(keys.map((key) => [key, value]));
  const payload = { metadata: map(Buffer.from('x')), data: Buffer.from('payload') };
  const startWorkflow = {
    workflowType: { name: 'pay' },
    workflowRunTimeout: { seconds: 3_600 as never, nanos: 5 },
    input: { payloads: [payload, { data: Buffer.from([0, 255]) }] },
    memo: { fields: map(payload) },
    header: { fields: map(payload) },
    searchAttributes: { indexedFields: map(payload) },
    userMetadata: { summary: payload },
  };
  const schedule = { spec: { cronString: ['0 * * * *'] }, action: { startWorkflow }, policies: { overlapPolicy: 2 } };
  return DescribeScheduleResponse.decode(DescribeScheduleResponse.encode({ schedule }).finish());
}

it('does not depend on the order in which the server answers the keys of a map', () => {
  const [one, other] = [answer(['encoding', 'key-id', 'a']), answer(['a', 'key-id', 'encoding'])];
  expect(earlier(one)).not.toBe(earlier(other));
  expect(fingerprintOf(one)).toBe(fingerprintOf(other));
  expect(isSame(one, other)).toBe(true);
  expect(fingerprintOf(answer(['encoding', 'key-ID', 'a']))).not.toBe(fingerprintOf(one));
});

it('recognizes the fingerprints that earlier builds stored of an answer in the same order', () => {
  const one = answer(['encoding']);
  expect(hasFingerprint(one, earlier(one))).toBe(true);
  const two = answer(['encoding', 'a']);
  expect(fingerprintOf(two)).not.toBe(earlier(two));
  for (const fingerprint of [fingerprintOf(two), earlier(two)]) expect(hasFingerprint(two, fingerprint)).toBe(true);
  expect(hasFingerprint(two, earlier(one))).toBe(false);
});
