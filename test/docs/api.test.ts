import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { apiPage, MARK } from '../../scripts/api-page';
import { openapi } from '../../server/openapi';
import { operations } from '../../server/routes';

it('docs/api.md has every operation of the OpenAPI document, as `npx tsx scripts/write-api.ts` writes it', () => {
  const page = readFileSync(resolve(__dirname, '../../docs/api.md'), 'utf8');
  expect(page.split(MARK)[1]?.trim()).toBe(apiPage().trim());
});

it('each operation has an ID that no other has, and documents a problem as its default answer', () => {
  const { paths, components } = openapi(operations, '');
  const described = Object.values(paths).flatMap((methods) => Object.values(methods)) as unknown as Described[];
  const ids = described.map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(40);
  expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
  for (const { operationId, responses } of described) {
    expect(responses.default, operationId).toEqual({ $ref: '#/components/responses/Problem' });
  }
  const { responses } = components as { responses: Record<string, { content: object }> };
  expect(Object.keys(responses.Problem!.content)).toEqual(['application/problem+json']);
});

interface Described {
  operationId: string;
  responses: Record<string, unknown>;
}
