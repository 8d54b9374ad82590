"""Follow a run, or start one, as a stream of AG-UI events."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import HASH_SESSION_KEY
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.api import serializers as shapes
from workflows.api.renderers import AnyJSON
from workflows.api.request_params import checked
from workflows.api.runs import start_requested
from workflows.api.serializers.runs import NewRun
from workflows.errors import BadRequest, KeyTaken
from workflows.live.session_guard import Viewer
from workflows.models import Run
from workflows.plugins.ag_ui.core.cursor import Cursor
from workflows.plugins.ag_ui.core.translate import Translation
from workflows.plugins.ag_ui.places import take_place
from workflows.plugins.ag_ui.resume import answer_all, read_resume
from workflows.plugins.ag_ui.run_input import RunAgentInput, inputs_with, message_of
from workflows.plugins.ag_ui.stream import CONTENT_TYPE, EventStream, RunLog
from workflows.selectors import packs as packs_read
from workflows.selectors import runs as read

ANSWERING = ("rehearsal", "script")
"""Drivers that answer for people."""
STREAM = {(200, CONTENT_TYPE): OpenApiTypes.STR}
LAST = OpenApiParameter(
    "Last-Event-ID",
    str,
    OpenApiParameter.HEADER,
    description="The newest `id` of an earlier stream of this run. It continues after that event.",
)
AFTER = OpenApiParameter("after", str, description="As `Last-Event-ID`, which has precedence.")


class EventRenderer(AnyJSON):
    """Accepts requests for an event stream. The stream itself is not rendered."""

    media_type = CONTENT_TYPE
    format = "event-stream"


class StreamView(APIView):
    """Errors are JSON, for clients that accept event streams only, too."""

    renderer_classes = (EventRenderer, AnyJSON)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        if isinstance(response, Response):
            request.accepted_renderer, request.accepted_media_type = AnyJSON(), AnyJSON.media_type
        return super().finalize_response(request, response, *args, **kwargs)


class RunEventStream(StreamView):
    """The events of a run in the protocol AG-UI, from the first or after `after`, until the run
    ends. 204 if the run has ended and nothing follows."""

    @extend_schema(
        operation_id="runs_ag_ui",
        parameters=[
            AFTER,
            LAST,
            OpenApiParameter("threadId", str, description="Default: the id of the run."),
            OpenApiParameter("runId", str, description="Default: the id of the run."),
        ],
        responses={
            **STREAM,
            204: OpenApiResponse(description="The run has ended and nothing follows."),
            400: shapes.Error,
            429: shapes.Error,
        },
    )
    def get(self, request: Request, id: str) -> HttpResponseBase:
        run = read.run_named(id)
        after = cursor_in(request)
        if read.is_over(run, after.n):
            return HttpResponse(status=204)
        if request.method == "HEAD":
            return HttpResponse(content_type=CONTENT_TYPE)
        thread, name = (_name(request, field) or str(run.pk) for field in ("threadId", "runId"))
        return stream_of(request, run, after, thread=thread, name=name)


class PackRunStream(StreamView):
    """Start a run of the pack with the last message of the user, and follow it in the protocol
    AG-UI. The same `runId` of the same user starts one run only, and its stream continues after
    `Last-Event-ID`. The stream ends with an interrupt if the run waits for people; `resume` answers
    and follows the same run from there."""

    @extend_schema(
        operation_id="packs_ag_ui",
        request=RunAgentInput,
        parameters=[LAST],
        responses={
            **STREAM,
            400: shapes.Error,
            404: shapes.Error,
            409: shapes.Error,
            422: shapes.Error,
            429: shapes.Error,
        },
    )
    def post(self, request: Request, id: int) -> HttpResponseBase:
        asked = checked(RunAgentInput, request)
        after = cursor_in(request)
        properties = asked.get("forwardedProps") or {}
        if asked.get("resume"):
            return self._continue(request, id, asked, after)
        message = message_of(asked["messages"])
        new = new_run(id, message, properties)
        leave = take_place(request_user(request).pk)
        try:
            run, _ = start_requested(request, new, key=f"ag-ui:{asked['runId']}")
        except KeyTaken as taken:
            leave()
            text = "This `runId` started a different run. Use another one."
            raise KeyTaken(text, where="runId", **taken.extra) from taken
        except BaseException:
            leave()
            raise
        begin = Translation(run=str(run.pk), thread=asked["threadId"], name=asked["runId"])
        log = RunLog(begin, after, interrupts=interrupts(run, properties))
        return EventStream(viewer_of(request, run), log, leave)

    def _continue(
        self, request: Request, id: int, asked: dict[str, Any], after: Cursor
    ) -> EventStream:
        """Answer the interrupts of an earlier stream, and follow the run from there. A client that
        has a part of this stream has answered already."""
        person = request_user(request)
        resumed = read_resume(id, asked["resume"], person)
        run = resumed.run
        leave = take_place(person.pk)
        try:
            if after.n < resumed.start:
                answer_all(resumed, by=person.get_username())
        except BaseException:
            leave()
            raise
        log = RunLog(
            Translation(run=str(run.pk), thread=asked["threadId"], name=asked["runId"]),
            after,
            start=resumed.start,
            parent=asked.get("parentRunId") or "",
            interrupts=interrupts(run, asked.get("forwardedProps") or {}),
        )
        return EventStream(viewer_of(request, run), log, leave)


def interrupts(run: Run, properties: dict[str, Any]) -> bool:
    """Return True if the stream ends when the run waits for people: in AG-UI, the next request
    brings the answers. `properties`: a client that answers in another way can keep it open. Drivers
    with answers of their own need no person."""
    wanted: bool = properties.get("interrupts") is not False
    return wanted and run.driver not in ANSWERING and run.options.get("deny") is not True


def new_run(pack_id: int, message: str, properties: dict[str, Any]) -> dict[str, Any]:
    """The fields of the new run: those in `forwardedProps`, and the message. Raises DRF's
    ValidationError, BadRequest and NotThere."""
    shape = NewRun(data={"driver": "model", **properties, "pack": pack_id, "started_by": "chat"})
    shape.is_valid(raise_exception=True)
    asked = dict(shape.validated_data)
    name = properties.get("input", "")
    if not isinstance(name, str):
        raise BadRequest("`input` is the name of an input.", where="forwardedProps.input")
    declared = packs_read.start_inputs(packs_read.pack_named(pack_id), "chat")
    asked["inputs"] = inputs_with(message, asked.get("inputs") or {}, declared, name)
    return asked


def stream_of(
    request: Request, run: Run, after: Cursor, *, thread: str, name: str
) -> HttpResponseBase:
    leave = take_place(request_user(request).pk)
    begin = Translation(run=str(run.pk), thread=thread, name=name)
    return EventStream(viewer_of(request, run), RunLog(begin, after), leave)


def viewer_of(request: Request, run: Run) -> Viewer:
    """The session or token of the request, and the run."""
    session = request.session
    return Viewer(
        user=request_user(request).pk,
        session=session.session_key or "",
        auth_hash=session.get(HASH_SESSION_KEY, ""),
        token=getattr(request.auth, "digest", ""),
        kind="run",
        object=str(run.pk),
    )


def cursor_in(request: Request) -> Cursor:
    """The place after which the stream begins. Raises BadRequest."""
    header = request.headers.get("Last-Event-ID", "").strip()
    given = header or request.query_params.get("after", "").strip()
    cursor = Cursor.from_text(given)
    if cursor is None:
        where = "Last-Event-ID" if header else "after"
        raise BadRequest("The place in a stream is the `id` of one of its events.", where=where)
    return cursor


def _name(request: Request, field: str) -> str:
    name = str(request.query_params.get(field, ""))
    if len(name) > 200:
        raise BadRequest("An id has at most 200 characters.", where=field)
    return name
