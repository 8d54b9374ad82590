import { CircleAlert, Hand, Wrench } from "lucide-react";
import { useState } from "react";
import { packs, errorMessage, useSession, type PackTool, type ToolKind } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { toolSummary } from "../../run/start/toolSummary";
import { toolFromUrl } from "../dialogs/dialogFromUrl";
import { ToolForm } from "./ToolForm";
import { useRequest } from "../../ui/useRequest";
import { Button } from "../../ui/Button";
import { Mono } from "../../ui/Mono";

/** The bindings of the pack's tools on this server. They are not part of the pack. */
export function ToolsDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const { tools, stale, kinds, connected, problem, fetchAgain } = useTools(pack);
  const [chosenName, setChosenName] = useState(toolFromUrl);
  const openTool = tools?.find((one) => one.tool === chosenName) ?? tools?.[0];
  return (
    <Dialog
      wide
      title="Tools"
      onClose={close}
      footer={
        <>
          {tools && tools.length > 0 && (
            <span className="start muted small" role="status">
              {toolSummary(tools)}
            </span>
          )}
          <Button onClick={close}>Close</Button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      {tools?.length === 0 && <NoTools />}
      {openTool && (
        <>
          <p className="help">
            The pack declares the tools. Their bindings are stored on this server, not in the pack's
            files. A call of an unbound tool asks a person.
          </p>
          <div className="tools">
            <ul className="plain tool-list" aria-label="Tools of the pack">
              {tools?.map((tool) => (
                <li key={tool.tool}>
                  <button
                    type="button"
                    aria-current={tool === openTool}
                    data-tool={tool.tool}
                    onClick={() => setChosenName(tool.tool)}
                  >
                    <Mono kind="truncate">{tool.tool}</Mono>
                    <Answerer tool={tool} kinds={kinds} />
                  </button>
                </li>
              ))}
            </ul>
            <ToolForm
              key={openTool.tool}
              pack={pack}
              tool={openTool}
              kinds={kinds}
              connected={connected}
              stale={stale}
              changed={fetchAgain}
            />
          </div>
        </>
      )}
    </Dialog>
  );
}

function useTools(pack: string | number) {
  const [count, setCount] = useState(0);
  const tools = useRequest([pack, count], () => packs.tools(pack));
  const kinds = useRequest([], () => packs.toolKinds());
  const connected = useRequest([], () => packs.connectedTools());
  const error = tools.error ?? kinds.error ?? connected.error;
  return {
    tools: tools.value,
    stale: tools.stale,
    kinds: kinds.value ?? [],
    connected: connected.value ?? [],
    problem: error === null ? null : errorMessage(error),
    fetchAgain: () => setCount(count + 1),
  };
}

function NoTools() {
  return (
    <div className="empty">
      <p>
        <b>This pack names no tools.</b>
      </p>
      <p className="help">
        Tools in its files are listed here. Bind each one to a file operation, an HTTP request, an
        MCP server or a fixed answer.
      </p>
    </div>
  );
}

/** The answerer of a call: a kind of tool, or a person. */
function Answerer({ tool, kinds }: { tool: PackTool; kinds: ToolKind[] }) {
  const kind = (tool.binding ?? tool.usual)?.kind;
  if (tool.answered_by === "missing")
    return (
      <span className="badge error">
        <CircleAlert className="icon" aria-hidden /> not available
      </span>
    );
  if (tool.answered_by === "person")
    return (
      <span className="badge warning">
        <Hand className="icon" aria-hidden /> asks a person
      </span>
    );
  return (
    <span className="badge">
      <Wrench className="icon" aria-hidden />{" "}
      {kinds.find((one) => one.name === kind)?.label ?? kind}
      {tool.asks_first && ", asks first"}
    </span>
  );
}
