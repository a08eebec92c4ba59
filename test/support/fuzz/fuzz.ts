import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import fc from 'fast-check';
import { openapi } from '../../../server/openapi';
import { operations } from '../../../server/routes';
import type { TestApi } from '../api';
import { writeLetter } from '../failures/letters';
import { someSchedule } from '../ledger';
import { type FuzzedRequest, requestsOf, type Things } from './requests';

/**
 * Send a server requests that its OpenAPI document allows, or nearly allows. Each answer must be documented, and none
 * may be a server error.
 */
export async function fuzz(
  { ledger, open }: TestApi,
  { seed, requests }: { seed: number; requests: number },
): Promise<void> {
  const document = JSON.parse(JSON.stringify(openapi(operations, '')));
  const things = await fill(ledger);
  const { app } = open();
  const validate = validator(document);
  await fc.assert(
    fc.asyncProperty(requestsOf(document, things), async (request) => {
      const { method, url, headers, payload } = request;
      const asked = app.inject({
        method: method as 'GET',
        url,
        headers,
        ...(payload === undefined ? {} : { payload }),
      });
      // A request that never ends fails the test.
      const answer = await asked;
      const problem = validate(request, answer.statusCode, String(answer.headers['content-type'] ?? ''), answer.body);
      if (problem !== undefined) throw new Error(`${problem}\n${answer.body.slice(0, 2_000)}`);
    }),
    { seed, numRuns: requests, endOnFailure: true },
  );
}

async function fill(ledger: TestApi['ledger']): Promise<Things> {
  const { client } = ledger;
  await client.create(
    someSchedule({ scheduleId: 'nightly', memo: { of: 'billing' }, searchAttributes: { Team: ['ops'] } }),
  );
  await client.create(
    someSchedule({ scheduleId: 'hourly', tenant: 'acme', state: { paused: true, note: 'a release' } }),
  );
  await client.apply([someSchedule({ scheduleId: 'declared' })], { source: 'billing', revision: 3 });
  const { scheduledTime } = await client.getHandle('nightly').trigger();
  const letterId = await writeLetter(ledger);
  return {
    scheduleId: ['nightly', 'hourly', 'declared', 'nowhere'],
    source: ['billing', 'nothing'],
    time: [scheduledTime.toISOString(), '2026-03-01T00:00:00Z', 'yesterday'],
    letterId: [letterId],
  };
}

type Validate = (request: FuzzedRequest, status: number, type: string, body: string) => string | undefined;

/** Checks an answer against the document. */
// biome-ignore lint/suspicious/noExplicitAny: a document of OpenAPI, as it was read
function validator(document: any): Validate {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const known = new Map<string, ValidateFunction | undefined>();
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const answers = new Map<string, any>();
  for (const methods of Object.values<Record<string, { operationId: string; responses: unknown }>>(document.paths)) {
    for (const { operationId, responses } of Object.values(methods)) answers.set(operationId, responses);
  }
  const schemaOf = (operationId: string, status: number) => {
    const key = `${operationId} ${status}`;
    if (known.has(key)) return known.get(key);
    const found = answers.get(operationId)[status] ?? answers.get(operationId).default;
    const answer = found.$ref ? document.components.responses[found.$ref.split('/').at(-1)] : found;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const schema = Object.values<any>(answer.content ?? {})[0]?.schema;
    const compiled = schema && ajv.compile({ ...schema, components: document.components });
    known.set(key, compiled);
    return compiled;
  };
  return ({ operationId }, status, type, body) => {
    if (status >= 500) return `${operationId} answers ${status}`;
    if (status >= 400 && !type.startsWith('application/problem+json'))
      return `${operationId} answers ${status} as ${type}`;
    if (status < 400 && answers.get(operationId)[status] === undefined)
      return `${operationId} does not document ${status}`;
    const schema = schemaOf(operationId, status);
    if (!schema) return body === '' ? undefined : `${operationId} documents no body of ${status}`;
    if (schema(JSON.parse(body))) return undefined;
    return `${operationId} answers ${status} off its schema: ${ajv.errorsText(schema.errors)}`;
  };
}
