/** Fields with many values: lists of texts, lists of objects, and maps. */

import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { useState } from "react";
import type { Json } from "../../session";
import { useForm } from "./formContext";
import { appendToPointer } from "./fieldEdits";
import { Field, type FieldProps } from "./Field";
import { emptyValue, isObject } from "./schema";
import { IconButton } from "../../ui/IconButton";
import { useDraft } from "./useDraft";
import { Problem } from "./Problem";
import { Button } from "../../ui/Button";

export function StringListField({ label, pointer, schema, value, different }: FieldProps) {
  const { commit, readOnly, place } = useForm();
  const [problem, setProblem] = useState<string | null>(null);
  const items = textsOf(value);
  const isReadOnly = readOnly || schema.readOnly;
  const change: ChangeItems<string> = async (next) =>
    setProblem(
      await commit(pointer, (before) =>
        different ? withChange(textsOf(before), items, next(items)) : next(textsOf(before)),
      ),
    );
  const offered = (
    schema.items?.["x-choices"] ??
    schema["x-choices"] ??
    schema.items?.enum ??
    []
  ).map(String);
  return (
    <div className="list">
      {items.map((item, index) => (
        <div className="list-row" key={`${index}:${item}`}>
          <TextItem
            label={`${label} ${index + 1}`}
            place={`${place}${pointer}/${index}`}
            value={item}
            readOnly={isReadOnly}
            onCommit={(text) => change((now) => now.toSpliced(index, 1, ...(text ? [text] : [])))}
          />
          {!isReadOnly && (
            <RowButtons
              items={items}
              index={index}
              change={change}
              fixed={different}
              what={`${label} ${index + 1}`}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <TextItem
          label={`Add to ${label}`}
          place={`${place}${pointer}/+`}
          value=""
          placeholder="Add…"
          offered={offered.filter((one) => !items.includes(one))}
          onCommit={(text) => (text ? change((now) => [...now, text]) : undefined)}
        />
      )}
      {different && <OtherEntries />}
      <Problem text={problem} />
    </div>
  );
}

/** The other entries of several states are not shown, and a change leaves them in place. */
function OtherEntries() {
  return <p className="help">Only entries of all selected states are shown.</p>;
}

const itemsOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);

const textsOf = (value: Json | undefined): string[] => itemsOf(value).map(String);

/** A list with the change from `shown` to `next`: one entry is added, removed or replaced. */
function withChange(list: string[], shown: string[], next: string[]): string[] {
  const removed = shown.filter((one) => !next.includes(one));
  const added = next.filter((one) => !shown.includes(one) && !list.includes(one));
  if (removed.length !== 1 || added.length !== 1)
    return [...list.filter((one) => !removed.includes(one)), ...added];
  return list.map((one) => (one === removed[0] ? added[0]! : one));
}

type ChangeItems<Item> = (next: (now: Item[]) => Item[]) => Promise<void>;

interface RowProps<Item> {
  items: Item[];
  index: number;
  what: string;
  /** The entry cannot be moved. */
  fixed?: boolean;
  change: ChangeItems<Item>;
}

function RowButtons<Item>({ items, index, what, fixed = false, change }: RowProps<Item>) {
  const swap = (other: number) =>
    void change((now) => now.with(index, now[other]!).with(other, now[index]!));
  return (
    <span className="row-buttons">
      {index > 0 && !fixed && (
        <IconButton label={`Move ${what} up`} onClick={() => swap(index - 1)} Icon={ArrowUp} />
      )}
      {index < items.length - 1 && !fixed && (
        <IconButton label={`Move ${what} down`} onClick={() => swap(index + 1)} Icon={ArrowDown} />
      )}
      <IconButton
        label={`Remove ${what}`}
        onClick={() => void change((now) => now.toSpliced(index, 1))}
        Icon={X}
      />
    </span>
  );
}

interface TextItemProps {
  label: string;
  /** The place in the pack, unique there. */
  place: string;
  value: string;
  readOnly?: boolean | undefined;
  placeholder?: string;
  offered?: string[];
  onCommit: (text: string) => void | Promise<void>;
}

function TextItem(props: TextItemProps) {
  const { label, place, value, readOnly, placeholder, offered = [], onCommit } = props;
  const { inputProps, clear } = useDraft({
    place,
    label,
    saved: value,
    apply: async (typed) => {
      const text = typed.trim();
      if (text !== value) await onCommit(text);
      if (value === "") clear();
      return null;
    },
  });
  const list = `offered-${label.replace(/\W+/g, "-")}`;
  return (
    <>
      <input
        type="text"
        aria-label={label}
        {...inputProps({ stay: true })}
        readOnly={readOnly}
        placeholder={placeholder}
        list={offered.length > 0 ? list : undefined}
        autoComplete="off"
      />
      {offered.length > 0 && (
        <datalist id={list}>
          {offered.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A list of objects, each a nested form. */
export function ObjectListField(props: FieldProps) {
  const { label, pointer, schema, value } = props;
  const { commit, readOnly } = useForm();
  const [problem, setProblem] = useState<string | null>(null);
  const items = itemsOf(value);
  const change: ChangeItems<Json> = async (next) =>
    setProblem(await commit(pointer, (before) => next(itemsOf(before))));
  const inside = schema.items ?? {};
  return (
    <div className="list">
      {items.map((item, index) => (
        <Field
          key={index}
          name={itemTitle(item, index)}
          pointer={appendToPointer(pointer, index)}
          schema={{ ...inside, title: itemTitle(item, index) }}
          required
          buttons={
            !readOnly && (
              <RowButtons
                items={items}
                index={index}
                change={change}
                what={`${label} ${index + 1}`}
              />
            )
          }
        />
      ))}
      {!readOnly && (
        <Button
          kind="quiet small add"
          onClick={() => void change((now) => [...now, emptyValue(inside)])}
        >
          <Plus className="icon" aria-hidden /> Add to {label}
        </Button>
      )}
      <Problem text={problem} />
    </div>
  );
}

function itemTitle(item: Json, index: number): string {
  if (isObject(item))
    for (const name of ["name", "id", "key", "title", "label", "type"])
      if (typeof item[name] === "string" && item[name] !== "") return item[name];
  return `${index + 1}`;
}

/** A map with the author's own keys and values of one schema. */
export function MapField({ label, pointer, schema, value, different }: FieldProps) {
  const { commit, several, readOnly, place } = useForm();
  const [problem, setProblem] = useState<string | null>(null);
  const map = isObject(value) ? value : {};
  const inside = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const add = async (key: string) => {
    if (Object.hasOwn(map, key)) return setProblem(`There is a “${key}” already.`);
    setProblem(await commit(appendToPointer(pointer, key), emptyValue(inside)));
  };
  const rename = async (from: string, to: string) => {
    if (!to || Object.hasOwn(map, to)) return setProblem(to ? `There is a “${to}” already.` : null);
    const renamed = (now: Json | undefined) =>
      Object.entries(isObject(now) ? now : {}).map(
        ([key, one]) => [key === from ? to : key, one] as const,
      );
    setProblem(await commit(pointer, (now) => Object.fromEntries(renamed(now))));
  };
  return (
    <div className="list">
      {Object.keys(map).map((key) => (
        <Field
          key={key}
          name={key}
          pointer={appendToPointer(pointer, key)}
          schema={{ ...inside, title: key }}
          required={false}
          removable
          rename={readOnly || several ? undefined : (to) => rename(key, to)}
        />
      ))}
      {!readOnly && (
        <TextItem
          label={`New key of ${label}`}
          place={`${place}${pointer}/+`}
          value=""
          placeholder="New key…"
          offered={(schema["x-choices"] ?? [])
            .map(String)
            .filter((one) => !Object.hasOwn(map, one))}
          onCommit={(key) => (key ? add(key) : undefined)}
        />
      )}
      {different && <OtherEntries />}
      <Problem text={problem} />
    </div>
  );
}
