import { Option } from 'commander';

/** A former name of an option. The former name is accepted, but not shown in the help. */
export function alias(flags: string, attribute: string): Option {
  const option = new Option(flags).hideHelp();
  option.attributeName = () => attribute;
  return option;
}
