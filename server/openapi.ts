import { z } from 'zod';
import { version } from '../version';
import type { AnyOperation } from './operation';
import { idempotencyKey, isKeyed } from './plugins/idempotency';
import { problemSchema } from './problems/problem';

type Json = Record<string, unknown>;

export interface OpenApiDocument extends Json {
  openapi: '3.1.0';
  paths: Record<string, Record<string, Json>>;
}

export function openapi(operations: readonly AnyOperation[], basePath: string): OpenApiDocument {
  const schemas = new Schemas();
  const problem = {
    description: 'A problem, as RFC 9457 has it',
    content: { 'application/problem+json': { schema: schemas.of(problemSchema, 'output') } },
  };
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of operations.filter(({ documented = true }) => documented)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describe(operation, schemas),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Escapement',
      version,
      description: 'Schedules of guaranteed cron for Temporal, and the result of each of their occurrences.',
    },
    servers: [{ url: basePath || '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      responses: { Problem: problem },
      schemas: schemas.named,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            "A token of 'escapement token create', or a JWT. A server on loopback needs none until a token is created or OIDC is set up.",
        },
      },
    },
  };
}

function describe(operation: AnyOperation, schemas: Schemas): Json {
  const { operationId, tag, summary, description, scope, body, bodyIsOptional = false, answers } = operation;
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    'x-scope': scope,
    parameters: parametersOf(operation, schemas),
    ...(body
      ? { requestBody: { required: !bodyIsOptional, content: contentOf(body, schemas, operation.method) } }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          {
            description: answer.description,
            ...(answer.headers ? { headers: headersOf(answer.headers) } : {}),
            ...(answer.schema
              ? { content: { 'application/json': { schema: schemas.of(answer.schema, 'output') } } }
              : {}),
          },
        ]),
      ),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

function contentOf(body: z.ZodType, schemas: Schemas, method: string): Json {
  const schema = schemas.of(body, 'input');
  return method === 'PATCH'
    ? { 'application/merge-patch+json': { schema }, 'application/json': { schema } }
    : { 'application/json': { schema } };
}

function headersOf(headers: Record<string, string>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

function parametersOf({ params, query, ...operation }: AnyOperation, schemas: Schemas): Json[] {
  const headers = { ...operation.headers, ...(isKeyed(operation) ? idempotencyKey : {}) } as NonNullable<
    AnyOperation['headers']
  >;
  return [
    ...fieldsOf(params, 'path', schemas),
    ...fieldsOf(query, 'query', schemas),
    ...Object.entries(headers).map(([name, { description, required = false }]) => ({
      name,
      in: 'header',
      required,
      description,
      schema: { type: 'string' },
    })),
  ];
}

function fieldsOf(schema: z.ZodType | undefined, place: 'path' | 'query', schemas: Schemas): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description ? { description } : {}),
    schema: rest,
    // A list in a query repeats its name: the ID of a schedule may contain a comma.
    ...(rest.type === 'array' ? { style: 'form', explode: true } : {}),
  }));
}

/** Schemas as JSON. Each schema that has an `id` is listed once, under the components. */
class Schemas {
  readonly named: Json = {};

  of(schema: z.ZodType, io: 'input' | 'output'): Json {
    // The schema is wrapped in another one, so that a schema with an ID becomes a reference too.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        // Metadata that a schema sets to undefined, such as `enum`, are removed.
        for (const [key, value] of Object.entries(jsonSchema))
          if (value === undefined) delete jsonSchema[key as 'type'];
        // The bounds of safe integers, which Zod adds to integers, are left out.
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        // A later version may add keys to its answers.
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    }) as unknown as { properties: { it: Json }; $defs?: Record<string, Json> };
    for (const [name, { id: _, ...definition }] of Object.entries($defs)) this.named[name] ??= pointed(definition);
    return pointed(properties.it) as Json;
  }
}

/** Changes references so that they point to the components. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', '#/components/schemas/') : pointed(inner),
    ]),
  );
}
