import { Converter, ReflectionKind } from 'typedoc';
import { entryPoints } from '../../scripts/lib/docs/entry-points.mjs';

/** What TypeDoc needs to know about this package. */
export function load({ converter }) {
  converter.on(Converter.EVENT_CREATE_DECLARATION, listValues);
  converter.on(Converter.EVENT_RESOLVE_BEGIN, nameEntries);
  converter.on(Converter.EVENT_RESOLVE_BEGIN, nameErrors);
}

/** Show the values of a type that is defined as one of a list, as in `(typeof STATES)[number]`. */
function listValues(context, reflection) {
  if (!reflection.kindOf(ReflectionKind.TypeAlias)) return;
  const [declaration] = context.getSymbolFromReflection(reflection)?.declarations ?? [];
  if (/^\(?typeof \w+\)?\[number\]$/.test(declaration?.type?.getText() ?? '')) {
    reflection.comment?.modifierTags.add('@useDeclaredType');
  }
}

/** Name each module as programs import it, instead of by its file. */
function nameEntries({ project }) {
  const names = new Map(entryPoints().map(({ name, types }) => [moduleOf(types), name]));
  for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
}

/** Such as `trigger` for `dist/trigger/index.d.ts`. */
function moduleOf(types) {
  return types.replace(/^dist\/|(?:\/index)?\.d\.ts$/g, '');
}

/** Put the error of `@throws {InvalidOptionError}` into its sentence, with a link if the package exports the error. */
function nameErrors({ project }) {
  const classes = new Map(project.getReflectionsByKind(ReflectionKind.Class).map((found) => [found.name, found]));
  for (const { comment } of Object.values(project.reflections)) {
    for (const tag of comment?.blockTags ?? []) {
      const names = tag.typeAnnotation?.match(/\w+/g) ?? [];
      // A comment may belong to more than one reflection.
      tag.typeAnnotation = undefined;
      const parts = names.flatMap((name, at) => [text(at === 0 ? '' : ' or '), nameOf(name, classes.get(name))]);
      if (parts.length > 0) tag.content.unshift(...parts, text(' '));
    }
  }
}

function nameOf(name, target) {
  return target ? { kind: 'inline-tag', tag: '@link', text: name, target } : { kind: 'code', text: `\`${name}\`` };
}

function text(words) {
  return { kind: 'text', text: words };
}
