import { type OpenApiDocument, openapi } from '../server/openapi';
import { operations } from '../server/routes';

/** What follows in docs/api.md is written by `npx tsx scripts/write-api.ts`. */
export const MARK = '<!-- From here on written by scripts/write-api.ts. -->';

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}
type Schema = { $ref?: string; type?: string | string[]; enum?: string[]; items?: Schema; format?: string };
interface Described {
  operationId: string;
  tags: [string];
  summary: string;
  description?: string;
  'x-scope': string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema: Schema }> }>;
}

/** Every operation of the OpenAPI document, grouped by resource. */
export function apiPage(document: OpenApiDocument = openapi(operations, '')): string {
  const byTag = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const operation = described as unknown as Described;
      const [tag] = operation.tags;
      byTag.set(tag, [...(byTag.get(tag) ?? []), sectionOf(method.toUpperCase(), path, operation)]);
    }
  }
  return [...byTag].map(([tag, sections]) => `## Operations: ${tag}\n\n${sections.join('\n')}`).join('\n');
}

function sectionOf(method: string, path: string, operation: Described): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const lines = [
    `### \`${method} ${path}\``,
    '',
    `${summary}${summary.endsWith('?') ? '' : '.'}${description ? ` ${description}` : ''}`,
    '',
  ];
  lines.push(`\`${operationId}\`, scope \`${operation['x-scope']}\`.`, '');
  if (parameters.length > 0) {
    lines.push('| parameter | in | |', '| --- | --- | --- |');
    for (const one of parameters) lines.push(rowOf(one));
    lines.push('');
  }
  const body = Object.values(requestBody?.content ?? {})[0];
  if (body) lines.push(`Body: ${nameOf(body.schema)}${requestBody!.required ? '' : ', may be left out'}.`, '');
  for (const [status, answer] of Object.entries(responses)) {
    if (status === 'default') continue;
    const content = Object.values(answer.content ?? {})[0];
    lines.push(`Answers ${status}: ${answer.description}${content ? `, ${nameOf(content.schema)}` : ''}.`, '');
  }
  return lines.join('\n');
}

function rowOf({ name, in: place, required, description = '', schema }: Parameter): string {
  const words = schema.items?.enum ?? schema.enum;
  const kind = words
    ? words.map((word) => `\`${word}\``).join(', ')
    : (schema.format ?? [schema.type].flat().join(' or '));
  const said = [required ? 'required' : '', place === 'header' ? '' : kind, description].filter(Boolean).join('; ');
  return `| \`${name}\` | ${place} | ${said.replaceAll('|', '\\|')} |`;
}

function nameOf({ $ref, type }: Schema): string {
  return $ref ? `\`${$ref.split('/').at(-1)}\`` : `\`${[type].flat().join(' or ')}\``;
}
