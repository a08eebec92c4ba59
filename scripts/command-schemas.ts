/** The JSON schemas of what commands print, generated from the tables in docs/command-json.md. */
export interface CommandSchema extends ObjectSchema {
  $schema: string;
  title: string;
}

interface ObjectSchema {
  description?: string;
  type: string | string[];
  properties: Record<string, Schema>;
  required: string[];
}

type Schema = ObjectSchema | { type: string | string[]; format?: string; description?: string };

const TYPES: Record<string, string> = {
  ...{ text: 'string', time: 'string', number: 'number', boolean: 'boolean' },
  ...{ list: 'array', object: 'object', null: 'null' },
};

/** The schema of each command, by the name of its file, such as `dead-letter-list.json`. */
export function schemasOf(page: string): Map<string, CommandSchema> {
  const schemas = new Map<string, CommandSchema>();
  for (const section of page.split(/^## /m).slice(1)) {
    const [heading, ...lines] = section.split('\n');
    for (const [, command] of heading!.matchAll(/`([^`]+)`/g)) {
      const schema: CommandSchema = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: `escapement ${command} --json`,
        ...objectOf('object'),
      };
      for (const line of lines) addKey(schema, line);
      schemas.set(`${command!.replaceAll('--', '').replaceAll(' ', '-')}.json`, schema);
    }
  }
  return schemas;
}

function addKey(schema: ObjectSchema, line: string): void {
  const [, path, said, description] = /^\| `([^`]+)` \| ([^|]+) \| ?(.*?) ?\|$/.exec(line) ?? [];
  if (path === undefined) return;
  const [types, optional] = said!.trim().split(', ');
  const of = path.split('.');
  const name = of.pop()!;
  const parent = of.reduce((outer, key) => openedAt(outer, key), schema);
  parent.properties[name] = { ...(description ? { description } : {}), ...schemaOf(types!.split(' or ')) };
  if (optional !== 'optional') parent.required.push(name);
}

/** Turn a property into an object with listed keys, unless it is one already. */
function openedAt(outer: ObjectSchema, key: string): ObjectSchema {
  const known = outer.properties[key];
  if (!known) throw new Error(`'${key}' has keys, and no row of its own before them`);
  if (!('properties' in known)) outer.properties[key] = { ...known, ...objectOf(known.type) };
  return outer.properties[key] as ObjectSchema;
}

function objectOf(type: string | string[]): ObjectSchema {
  return { type, properties: {}, required: [] };
}

function schemaOf(types: string[]): { type: string | string[]; format?: string } {
  const named = types.map((type) => {
    const known = TYPES[type];
    if (!known) throw new Error(`'${type}' is no type; there is ${Object.keys(TYPES).join(', ')}`);
    return known;
  });
  return { type: named.length === 1 ? named[0]! : named, ...(types.includes('time') ? { format: 'date-time' } : {}) };
}
