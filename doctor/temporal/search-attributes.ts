import { temporal } from '@temporalio/proto';
import type { AttributeInUse } from '../../store/doctor/schedules';
import { grpcCodeOf, grpcStatus } from '../../temporal/errors';
import { countedWith, type Finding } from '../finding';
import { call, type NamespaceContext } from './context';

const { IndexedValueType } = temporal.api.enums.v1;
/** The types of search attributes, by the names that schedules use. */
const TYPES: Record<string, number> = {
  Text: IndexedValueType.INDEXED_VALUE_TYPE_TEXT,
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Double: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  Bool: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
  Datetime: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
  KeywordList: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD_LIST,
};

/** Other types whose attributes accept values of a type, since the server reads each value by its own type. */
const ALSO_ACCEPTED: Record<string, string[]> = {
  Text: ['Keyword'],
  Keyword: ['Text'],
  Int: ['Double'],
  Datetime: ['Keyword', 'Text'],
  KeywordList: ['Keyword', 'Text'],
};

/** The errors of servers that do not have this call, or do not allow it. */
const NOT_SAID: (number | undefined)[] = [grpcStatus.PERMISSION_DENIED, grpcStatus.UNIMPLEMENTED];

export async function checkSearchAttributes(at: NamespaceContext): Promise<Finding[]> {
  const { namespace, attributes, connection } = at;
  if (attributes.length === 0) return [];
  const known = await call(at, () => connection.operatorService.listSearchAttributes({ namespace })).catch((error) => {
    if (NOT_SAID.includes(grpcCodeOf(error))) return undefined;
    throw error;
  });
  if (!known) return [];
  const typeOf = (name: string) => known.customAttributes?.[name] ?? known.systemAttributes?.[name];
  // If a schedule gives no type, only the server knows the type, so it is not compared.
  const isLacking = ({ name, type }: AttributeInUse) =>
    type === null
      ? typeOf(name) === undefined
      : ![type, ...(ALSO_ACCEPTED[type] ?? [])].some((accepted) => typeOf(name) === TYPES[accepted]);
  return attributes.filter(isLacking).map(({ name, type, schedules }) => ({
    id: 'search_attribute_missing',
    severity: 'critical',
    text: `Namespace '${namespace}' has no search attribute '${name}'${type === null ? '' : ` of type ${type}`}, which ${countedWith(schedules, 'schedule', ['sets', 'set'])}: their starts are refused.`,
    action: actionFor(namespace, { name, type, is: typeOf(name) }),
    runBook: 'temporal-down',
  }));
}

function actionFor(
  namespace: string,
  { name, type, is }: Pick<AttributeInUse, 'name' | 'type'> & { is: number | null | undefined },
): string {
  if (is === undefined || is === null) {
    return `Add it: temporal operator search-attribute create --namespace ${namespace} --name ${name} --type ${type ?? 'Keyword'}.`;
  }
  const [there] = Object.entries(TYPES).find(([, value]) => value === is) ?? ['another'];
  return `There it has the type ${there}. Correct the type in the schedules.`;
}
